import { pause } from '../../../services/adapters/waiting/pause.ts';
import { missingNamespaces, whatIsMissing, type Preflight } from './preflight.ts';

const POLL_MS = 2000;
/** The first wait before a report is repeated, in milliseconds; each repetition doubles the wait. */
const REMIND_MS = 30_000;

/** Reports the rights and features that the clusters lack, at each change and at growing intervals, until `signal` is aborted. */
export async function reportClusters(
  preflights: readonly Preflight[],
  { report, signal }: { report: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  await Promise.all(preflights.map((preflight) => reportCluster(preflight, report, signal)));
}

/** Reports the rights and features that a cluster lacks, at each change and at growing intervals. */
async function reportCluster(
  preflight: Preflight,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let reported = { text: '', at: 0, remindMs: REMIND_MS };
  while (!signal.aborted) {
    const missing = await whatIsMissing(preflight);
    if (signal.aborted) return;
    const text = missing.join('\n');
    const isNews = text !== reported.text;
    if (isNews && text === '')
      report(`cluster "${preflight.client.cluster}"has everything that Jobledger needs`);
    if (isNews || performance.now() - reported.at > reported.remindMs) {
      for (const line of missing) report(`cluster "${preflight.client.cluster}": ${line}`);
      const remindMs = isNews ? REMIND_MS : 2 * reported.remindMs;
      reported = { text, at: performance.now(), remindMs };
    }
    await pause(POLL_MS, signal);
  }
}

/** Reports the given namespaces that are missing in clusters that answer. */
export async function reportNamespaces(
  preflights: readonly Preflight[],
  report: (line: string) => void,
): Promise<void> {
  for (const preflight of preflights)
    for (const line of await missingNamespaces(preflight))
      report(`cluster "${preflight.client.cluster}": ${line}`);
}
