import { LAST_INSTANT } from '../../definitions/instants.ts';
import type { Settings } from '../../settings.ts';
import type { BackoffRecord } from '../../state.ts';

/** The failures that the delay counts, newest first: those that finished after the latest success (J-5.42). */
export function failuresInARow({ failures, lastSuccess }: BackoffRecord): number[] {
  return failures.filter((finished) => finished > lastSuccess);
}

/**
 * When pods may be created again, in milliseconds: after n failures in a row base · 2^(n−1) from the last one, up to
 * the longest delay (J-5.40). A function of finish times only, so batches and restarts do not move it. Null: at once.
 */
export function backoffEnd(record: BackoffRecord, settings: Settings): number | null {
  const failures = failuresInARow(record);
  const last = failures[0];
  if (last === undefined) return null;
  return Math.min(last + delayAfter(failures.length, settings), LAST_INSTANT);
}

/** The delay after so many failures, in milliseconds (J-5.40). */
export function delayAfter(failures: number, settings: Settings): number {
  return Math.min(settings.podFailureBackoffMs * 2 ** (failures - 1), settings.maxPodFailureBackoffMs);
}
