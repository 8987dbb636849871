import type { Log } from '../../adapters/process/log.ts';

export interface RestartFailedDependencies<R> {
  /** The runs that have failed since an instant; the id of a run is the key of its Job. */
  failed: (since: Date) => AsyncIterable<R>;
  /** True when this dispatcher has the partition of a Job. */
  isAssigned: (key: string) => boolean;
  /** Starts a run that recalls its state from the ledger, unless the Job has a running one. */
  restart: (run: R) => Promise<void>;
  log: Log;
  /** Milliseconds since 1970. */
  now: () => number;
}

/**
 * The time that each search looks back, in milliseconds; the listing may be out of date, so consecutive searches
 * overlap.
 */
const LOOK_BACK_MS = 600_000;
const EVERY_MS = 10_000;

/**
 * Returns a function that replaces failed runs. The caller calls this function often. A run fails when a replay does
 * not fit its history. The ledger has the decisions of the failed run, so the next run continues from these decisions
 * (docs/decisions/0057).
 */
export function createRestartFailed<R extends { id: string; runId: string }>({
  failed,
  isAssigned,
  restart,
  log,
  now,
}: RestartFailedDependencies<R>): () => Promise<void> {
  const restarted = new Map<string, number>();
  let due = 0;
  return async () => {
    if (now() < due) return;
    const since = now() - LOOK_BACK_MS;
    for await (const run of failed(new Date(since))) {
      if (restarted.has(run.runId) || !isAssigned(run.id)) continue;
      await restart(run);
      restarted.set(run.runId, now());
      log.warn(
        { job: run.id, run: run.runId },
        'a run has failed; another run recalls the Job from the ledger',
      );
    }
    for (const [runId, at] of restarted) if (at < since) restarted.delete(runId);
    due = now() + EVERY_MS;
  };
}
