import type { DecisionRow } from '../tables/decisions.ts';
import type { JobRow } from '../tables/jobs.ts';
import type { CreationRow, PodRow } from '../tables/pods.ts';
import { find, type Rows } from './rows.ts';

/** The Job that an event is about, and all rows, among them those of the Job as they were before the event. */
export interface JobRows {
  job: JobRow;
  rows: Rows;
}

export function podOf({ job, rows }: JobRows, uid: string): PodRow | undefined {
  return find(rows.pods, job.cluster, job.uid, uid);
}

/** The creation of a pod by its name, if one was asked for. */
export function creationOf({ job, rows }: JobRows, name: string): CreationRow | undefined {
  return find(rows.creations, job.cluster, job.uid, name);
}

export function decisionOf({ job, rows }: JobRows, id: string | null): DecisionRow | undefined {
  return id === null ? undefined : find(rows.decisions, job.cluster, job.uid, id);
}
