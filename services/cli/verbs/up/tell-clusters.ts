import { pause } from '../../../adapters/pause.ts';
import { whatIsMissing, type Preflight } from './preflight.ts';

const LOOK_MS = 2000;
const REMIND_MS = 30_000;

/** Says what the given clusters lack, again when that changes and now and then, until `signal` is aborted. */
export async function tellClusters(
  preflights: readonly Preflight[],
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  await Promise.all(preflights.map((preflight) => tellCluster(preflight, say, signal)));
}

async function tellCluster(
  preflight: Preflight,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let told = { text: '', at: 0 };
  while (!signal.aborted) {
    const missing = await whatIsMissing(preflight);
    if (signal.aborted) return;
    const text = missing.join('\n');
    const isNews = text !== told.text;
    if (isNews && text === '') say(`cluster "${preflight.client.cluster}": nothing is missing any more`);
    if (text !== '' && (isNews || performance.now() - told.at > REMIND_MS))
      for (const line of missing) say(`cluster "${preflight.client.cluster}": ${line}`);
    if (isNews || performance.now() - told.at > REMIND_MS) told = { text, at: performance.now() };
    await pause(LOOK_MS, signal);
  }
}
