import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import { withFixedTime } from './timer.ts';

/**
 * The options of recalls, and of decisions that are safe to repeat: no activity task, and a repetition when the
 * worker dies. Ordinary activities take over from local activities that fail or are slow.
 */
export const LOCAL: LocalActivityOptions = {
  startToCloseTimeout: '4s',
  retry: { maximumAttempts: 1 },
};
/** The options for deletions, large batches, and servers that are down: retried for as long as necessary. */
export const ORDINARY: ActivityOptions = {
  startToCloseTimeout: '10m',
  heartbeatTimeout: '4s',
  retry: { initialInterval: '200ms', backoffCoefficient: 1.5, maximumInterval: '2s' },
};

/** Runs a local activity, and the ordinary activity when the local activity fails. */
export async function locallyAtFirst<R>(local: () => Promise<R>, ordinary: () => Promise<R>): Promise<R> {
  try {
    return await withFixedTime(local);
  } catch {
    // The local activity failed because a server is down or slow, or because a stream is long. A repetition is
    // harmless, and the ordinary activity retries until it succeeds.
    return ordinary();
  }
}
