import type { DecisionRow } from '../../read-model/tables/decisions.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import type { CreationRow, PodRow } from '../../read-model/tables/pods.ts';
import { findStored, type Rows } from './rows.ts';

/** The Job of an event, and all rows. `job` and the other rows of the Job have their content from before the event. */
export interface JobRows {
  job: JobRow;
  rows: Rows;
}

export function findPod({ job, rows }: JobRows, uid: string): PodRow | undefined {
  return findStored(rows.pods, job.cluster, job.uid, uid);
}

/** The requested creation of the pod with a name. */
export function findCreation({ job, rows }: JobRows, name: string): CreationRow | undefined {
  return findStored(rows.creations, job.cluster, job.uid, name);
}

export function findDecision({ job, rows }: JobRows, id: string | null): DecisionRow | undefined {
  return id === null ? undefined : findStored(rows.decisions, job.cluster, job.uid, id);
}
