import type { JobView } from '../../services/read-model/views.ts';

type Situation = Pick<JobView, 'state' | 'waits_for' | 'waits_until' | 'reason' | 'deleted_at'>;

/** The state of a Job, why it fails and what it waits for, on one line. */
export function situationWords(job: Situation): string {
  const wait = waitWords(job);
  return [
    stateCell(job),
    ...(job.reason === null ? [] : [job.reason]),
    ...(wait === null ? [] : [`waits for: ${wait}`]),
  ].join(', ');
}

/** The state; of a deleted Job that had ended before, that too. */
export function stateCell({ state, deleted_at: deleted }: Pick<Situation, 'state' | 'deleted_at'>): string {
  return deleted === null || state === 'Deleted' ? state : `${state} (deleted)`;
}

/** What a Job waits for, and until when. */
export function waitWords({ waits_for: words, waits_until: until }: Situation): string | null {
  return words === null || until === null ? words : `${words}, at ${until}`;
}
