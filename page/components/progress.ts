import type { ListedJob } from '../api/rows.ts';

type Counted = Pick<
  ListedJob,
  'status' | 'completions' | 'parallelism' | 'succeeded' | 'failed' | 'active' | 'finished_at'
>;

/** The progress of a Job: the shares of its bar in percent, and the count beside it. */
export interface BarProgress {
  succeeded: number;
  failed: number;
  running: number;
  message: string;
}

/**
 * The progress of a Job in relation to its completions or, for a work queue, to its finished and running pods. Failed pods count only after the end
 * of the Job, because other pods replace them before.
 */
export function jobProgress(job: Counted): BarProgress {
  const { status, completions, succeeded, failed, finished_at: finished } = job;
  // No pod works for a Job that has not started, or for a deleted Job.
  const active = status === 'Pending' || status === 'Deleted' ? 0 : job.active;
  const total = completions ?? Math.max(1, succeeded + active, finished === null ? 0 : succeeded + failed);
  // A number of pods in percent of the work of the Job.
  const share = (count: number): number => (total === 0 ? 0 : (Math.min(count, total) / total) * 100);
  const left = Math.max(0, total - succeeded);
  const lost = finished === null ? 0 : Math.min(failed, left);
  return {
    succeeded: total === 0 ? 100 : share(succeeded),
    failed: share(lost),
    running: share(Math.min(active, left - lost)),
    message: completions === null ? String(succeeded) : `${succeeded}/${completions}`,
  };
}
