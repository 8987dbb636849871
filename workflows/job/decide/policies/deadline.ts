import { DEADLINE_EXCEEDED } from '../../../batch/limits.ts';
import { isoTime, LAST_INSTANT } from '../../../ledger/instants.ts';
import type { Ending } from '../../../batch/ending.ts';
import type { Tally } from '../tally.ts';

/**
 * The end of `activeDeadlineSeconds`, in milliseconds; null without a deadline, while suspended, or after the year
 * 9999 (J-6.5).
 */
export function activeDeadline({ job, activeSince }: Pick<Tally, 'job' | 'activeSince'>): number | null {
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds === undefined || activeSince === null) return null;
  const end = Date.parse(activeSince) + activeDeadlineSeconds * 1000;
  return end > LAST_INSTANT ? null : end;
}

/** The end of a Job that has been active for longer than `activeDeadlineSeconds` (J-6.5). */
export function deadlinePassed(tally: Tally): Ending | null {
  const deadline = activeDeadline(tally);
  if (deadline === null || tally.now < deadline) return null;
  return {
    type: 'Failed',
    ...DEADLINE_EXCEEDED,
    isStored: false,
    why: { rule: 'J-6.5', message: `the deadline passed at ${isoTime(deadline)}` },
  };
}
