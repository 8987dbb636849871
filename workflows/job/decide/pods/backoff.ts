import { LAST_INSTANT } from '../../definitions/instants.ts';
import type { Settings } from '../../settings.ts';
import type { BackoffRecord } from '../../state.ts';

/** Finish times of the failures after the latest success, newest first (J-5.42). */
export function failuresInARow({ failures, lastSuccess }: BackoffRecord): number[] {
  return failures.filter((finished) => finished > lastSuccess);
}

/**
 * When pods may be created again, in milliseconds: after n failures in a row, base · 2^(n−1) after the last one, up to the
 * maximum (J-5.40). Null means now. It depends on finish times only, so batching and restarts do not change it.
 */
export function backoffEnd(record: BackoffRecord, settings: Settings): number | null {
  const failures = failuresInARow(record);
  const last = failures[0];
  if (last === undefined) return null;
  return Math.min(last + delayAfter(failures.length, settings), LAST_INSTANT);
}

/** The delay after n failures, in milliseconds (J-5.40). */
export function delayAfter(failures: number, settings: Settings): number {
  return Math.min(settings.podFailureBackoffMs * 2 ** (failures - 1), settings.maxPodFailureBackoffMs);
}
