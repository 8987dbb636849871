import { compareVersions } from '../../workflows/job/definitions/resource-version.ts';
import { errorMessage } from '../adapters/errors.ts';
import type { Log } from '../adapters/process/log.ts';
import type { OlderAnswer } from '../contracts/older-answer.ts';

/** After a report about a cluster, the next one in the same epoch comes at least this much later, in milliseconds. */
const AGAIN_MS = 10_000;

/** Reports an object that a cluster has shown in an older version than an earlier answer; it does not wait for the report. */
export type ReportOlder = (cluster: string, answer: OlderAnswer) => void;

/**
 * The ingester begins a new epoch after such a report. Its own watches do not show a restore when the copy is younger
 * than their positions, so that only writes of this controller are lost.
 */
export function createReportOlder({
  report,
  log,
  now,
}: {
  report: (cluster: string, answer: OlderAnswer) => Promise<void>;
  log: Log;
  now: () => number;
}): ReportOlder {
  const last = new Map<string, { epoch: number; at: number }>();
  return (cluster, answer) => {
    const before = last.get(cluster);
    if (before?.epoch === answer.epoch && now() - before.at < AGAIN_MS) return;
    last.set(cluster, { epoch: answer.epoch, at: now() });
    report(cluster, answer).catch((error: unknown) =>
      log.error(
        { cluster, error: errorMessage(error) },
        'a Job has an older version than before, so the API server was restored from an older copy, and this could not be reported to the ingester; it is reported again with the next answer',
      ),
    );
  };
}

/** The version that the command knew, if its outcome shows the object in an older one; otherwise null. */
export function knownBefore(
  command: { kind: string; resourceVersion?: string; epoch?: number },
  outcome: { kind: string; job?: unknown; cronJob?: unknown },
): Pick<OlderAnswer, 'epoch' | 'resourceVersion'> | null {
  if (command.kind !== 'WriteStatus' || command.resourceVersion === undefined) return null;
  const { resourceVersion: shown } = (outcome.job ?? outcome.cronJob ?? {}) as { resourceVersion?: string };
  if (shown === undefined || compareVersions(shown, command.resourceVersion) >= 0) return null;
  return { epoch: command.epoch ?? 0, resourceVersion: command.resourceVersion };
}
