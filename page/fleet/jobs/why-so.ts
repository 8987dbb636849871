import type { ListedJob } from '../../api/rows.ts';
import { countText } from '../../components/count-text.ts';
import { waitPhrase } from '../../components/wait-text.ts';
import { distanceText } from '../../components/instants.ts';

type Told = Pick<ListedJob, 'status' | 'reason' | 'waiting_for' | 'waiting_until' | 'active' | 'managed_by'>;

/**
 * The reason for the status of a Job in one line: its failures, or its wait with the end of the wait. The text is empty for a succeeded Job.
 */
export function statusReasonText(job: Told, now: number): string {
  const { status, reason, active } = job;
  const texts = [reason, waitText(job, now)].filter((part) => part !== null && part !== '');
  if (texts.length > 0) return texts.join('; ');
  if (active > 0 && status !== 'Deleted') return `${countText(active, 'pod')} at work`;
  return '';
}

/** The wait of a Job, with the distance to its end; null without a wait. */
function waitText({ status, waiting_for: waits, waiting_until: until }: Told, now: number): string | null {
  if (waits === null || waits === '') return null;
  const when = until !== null && Date.parse(until) > now ? `, ${distanceText(Date.parse(until), now)}` : '';
  return `${status === 'External' ? `controlled by ${waits}` : waitPhrase(waits)}${when}`;
}

/** True when the line is important for a user: a failure or a wait. */
export function isImportantReason({ reason, waiting_for: waits }: Told): boolean {
  return (reason ?? '') !== '' || (waits ?? '') !== '';
}
