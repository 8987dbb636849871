import type { ListedJob } from '../api/rows.ts';
import { sinceThen } from '../words/instants.ts';

type Told = Pick<ListedJob, 'state' | 'reason' | 'waits_for' | 'waits_until' | 'active' | 'managed_by'>;

/** Why a Job is as it is, in a line: why it failed, or what it waits for and until when. Empty for one that succeeded. */
export function whySo(job: Told, now: number): string {
  const { reason, waits_for: waits, waits_until: until, active } = job;
  if (waits !== null && waits !== '') {
    const isAhead = until !== null && Date.parse(until) > now;
    const when = isAhead ? `, ${sinceThen(Date.parse(until), now)}` : '';
    return `${job.state === 'External' ? 'driven by' : 'waits for'} ${waits}${when}`;
  }
  if (reason !== null && reason !== '') return reason;
  if (active > 0 && job.state !== 'Deleted') return active === 1 ? '1 pod at work' : `${active} pods at work`;
  return '';
}

/** Whether the line is what somebody looks for: a failure or a wait. */
export function isTelling({ reason, waits_for: waits }: Told): boolean {
  return (reason ?? '') !== '' || (waits ?? '') !== '';
}
