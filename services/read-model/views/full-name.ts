import type { JobView } from './jobs.ts';

/** The location of a Job, past or present. */
export type JobLocation = Pick<JobView, 'cluster' | 'namespace' | 'name'>;

export function fullName(job: JobLocation): string {
  return `${job.cluster}/${job.namespace}/${job.name}`;
}
