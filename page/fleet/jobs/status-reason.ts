import type { ListedJob } from '../../api/rows.ts';
import { countText } from '../../components/count-text.ts';
import { waitPhrase } from '../../components/wait-text.ts';
import { distanceText } from '../../components/instants.ts';

type JobOfReason = Pick<ListedJob, 'status' | 'reason' | 'waiting_for' | 'waiting_until' | 'active'>;

/**
 * The reason for the status of a Job in one line: its failures and its wait, with the distance to the end of the wait, or
 * else the number of its active pods; empty without any of these. `now` is in milliseconds since 1970.
 */
export function statusReasonText(job: JobOfReason, now: number): string {
  const { status, reason, active } = job;
  const texts = [reason, waitText(job, now)].filter((part) => part !== null && part !== '');
  if (texts.length > 0) return texts.join('; ');
  if (active > 0 && status !== 'Deleted') return `${countText(active, 'pod')} at work`;
  return '';
}

/** The wait of a Job, with the distance to its end; null without a wait. */
function waitText(
  { status, waiting_for: waits, waiting_until: until }: JobOfReason,
  now: number,
): string | null {
  if (waits === null || waits === '') return null;
  const when = until !== null && Date.parse(until) > now ? `, ${distanceText(Date.parse(until), now)}` : '';
  // For a Job that Jobledger does not control, `waiting_for` names its controller.
  return `${status === 'External' ? `controlled by ${waits}` : waitPhrase(waits)}${when}`;
}

/** True when `statusReasonText` names a failure or a wait, and not only the number of active pods. */
export function hasFailureOrWait({ reason, waiting_for: waits }: JobOfReason): boolean {
  return (reason ?? '') !== '' || (waits ?? '') !== '';
}
