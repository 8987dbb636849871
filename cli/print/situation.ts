import type { JobView } from '../../services/read-model/views/jobs.ts';

type Situation = Pick<JobView, 'status' | 'waiting_for' | 'waiting_until' | 'reason' | 'deleted_at'>;

/** The status of a Job, its reason, and the wait of the Job, on one line. */
export function situationText(job: Situation): string {
  const wait = waitText(job);
  return [
    statusCell(job),
    ...(job.reason === null ? [] : [job.reason]),
    ...(wait === null ? [] : [`waiting for: ${wait}`]),
  ].join(', ');
}

/** The status of a Job; for a deleted Job that had ended before, also the mark that it is deleted. */
export function statusCell({
  status,
  deleted_at: deleted,
}: Pick<Situation, 'status' | 'deleted_at'>): string {
  return deleted === null || status === 'Deleted' ? status : `${status} (deleted)`;
}

/** The reason why a Job waits, and the end of the wait. */
export function waitText({ waiting_for: message, waiting_until: until }: Situation): string | null {
  return message === null || until === null ? message : `${message}, at ${until}`;
}
