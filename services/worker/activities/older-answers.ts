import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import { errorMessage } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { objectInOutcome, type OlderAnswer } from '../../live-topic/older-answer.ts';

/**
 * The interval between two reports about a cluster in the same epoch, in milliseconds. The interval doubles with each
 * report, because the ingester may be down for a long time, and each record makes every service read the topic again.
 */
const AGAIN_MS = { first: 10_000, longest: 600_000 };

/**
 * Reports an object that a cluster has shown in an older version than in an earlier answer. The call does not wait for
 * the report.
 */
export type ReportOlder = (cluster: string, answer: OlderAnswer) => void;

interface ReportOlderDependencies {
  report: (cluster: string, answer: OlderAnswer) => Promise<void>;
  /**
   * The present epoch of a cluster. For earlier epochs, the ingester already knows that the API server does not reach
   * their versions.
   */
  getEpoch: (cluster: string) => number;
  log: Log;
  now: () => number;
}

/**
 * Returns a function that reports older answers. The ingester begins a new epoch after such a report. The watches of
 * the ingester do not show a restore that lost only writes of this controller, because the copy is younger than the
 * positions of the watches.
 */
export function createReportOlder({ report, getEpoch, log, now }: ReportOlderDependencies): ReportOlder {
  const last = new Map<string, { epoch: number; next: number; waitMs: number }>();
  return (cluster, answer) => {
    const { epoch } = answer;
    if (epoch !== getEpoch(cluster)) return;
    const known = last.get(cluster);
    const before = known?.epoch === epoch ? known : undefined;
    if (before !== undefined && now() < before.next) return;
    const waitMs = before === undefined ? AGAIN_MS.first : Math.min(2 * before.waitMs, AGAIN_MS.longest);
    last.set(cluster, { epoch, next: now() + waitMs, waitMs });
    report(cluster, answer).catch((error: unknown) =>
      log.error(
        { cluster, error: errorMessage(error) },
        'the API server has a Job in an older version than before, so it was restored from an older copy; the report to the ingester failed, and is repeated later',
      ),
    );
  };
}

/**
 * The object in the outcome of a command, if its version is older than the version that the command knew; otherwise
 * null.
 */
export function findOlderAnswer(
  command: { kind: string; resourceVersion?: string; epoch?: number },
  outcome: object,
): OlderAnswer | null {
  const { kind, resourceVersion, epoch = 0 } = command;
  if (kind !== 'WriteStatus' || resourceVersion === undefined) return null;
  const shown = objectInOutcome(outcome);
  if (shown === null || compareVersions(shown.resourceVersion, resourceVersion) >= 0) return null;
  return { ...shown, epoch, resourceVersion };
}
