import { LAST_INSTANT } from '../../../ledger/instants.ts';
import type { Settings } from '../../settings.ts';

/**
 * The time when pods may be created again, in milliseconds: after n consecutive failures, base · 2^(n−1) after the
 * last failure, up to the maximum (J-5.40). Null means now. The back-off depends only on finish times, so batching
 * and restarts do not change it. `failures` has the finish times of the failed pods, newest first.
 */
export function backoffEnd(failures: readonly number[], settings: Settings): number | null {
  const last = failures[0];
  if (last === undefined) return null;
  return Math.min(last + delayAfter(failures.length, settings), LAST_INSTANT);
}

/** The delay after n failures, in milliseconds (J-5.40). */
export function delayAfter(failures: number, settings: Settings): number {
  return Math.min(settings.podFailureBackoffMs * 2 ** (failures - 1), settings.maxPodFailureBackoffMs);
}
