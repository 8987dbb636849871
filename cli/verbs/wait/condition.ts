import { fullName } from '../../../services/read-model/find-job.ts';
import type { JobView } from '../../../services/read-model/views.ts';

/** What `wait` waits for. */
export const CONDITIONS = ['complete', 'failed', 'ended'] as const;
export type WaitCondition = (typeof CONDITIONS)[number];

/** Whether the wait is over, and whether the Job ended as expected, in words. */
export interface Met {
  met: boolean;
  words: string;
}

/** Null: it has not ended yet. */
export function metBy(job: JobView, condition: WaitCondition): Met | null {
  const name = fullName(job);
  if (job.finished_at !== null) {
    const ending = job.status === 'Complete' ? 'complete' : 'failed';
    return { met: condition === 'ended' || condition === ending, words: `${name}: ${job.status}` };
  }
  return job.deleted_at === null ? null : { met: false, words: `${name} was deleted before it ended` };
}
