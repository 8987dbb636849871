import type { Log } from '../../adapters/process/log.ts';

export interface RestartFailedDependencies<R> {
  /** The runs that have failed since an instant; the id is the key of the Job. */
  failed: (since: Date) => AsyncIterable<R>;
  /** True when this dispatcher has the partition of a Job. */
  isAssigned: (key: string) => boolean;
  /** Starts a run that recalls its state from the ledger, unless one runs. */
  restart: (run: R) => Promise<void>;
  log: Log;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Each search, the first included, also looks this far back, because the listing may be out of date. */
const LOOK_BACK_MS = 600_000;
const EVERY_MS = 10_000;

/**
 * Returns a function that replaces failed runs; call it often. A run fails when a replay does not fit its history. The
 * ledger has its decisions, so the next run continues from there (docs/decisions/0057).
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
        'a run has failed; another one recalls the Job from the ledger',
      );
    }
    for (const [runId, at] of restarted) if (at < since) restarted.delete(runId);
    due = now() + EVERY_MS;
  };
}
