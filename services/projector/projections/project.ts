import type { JobEvent } from '../../../workflows/job/events.ts';
import { foldCluster } from './clusters.ts';
import { conditionChanges } from './conditions.ts';
import { answeredCreations, wishedCreations } from './creations.ts';
import { foldJob } from './jobs.ts';
import { foldPods } from './pods.ts';
import { find, put, type Rows } from './rows.ts';
import { isOfJob, type StreamEvent } from './subjects.ts';

/**
 * Folds one event into the rows. They must hold what `keysOf` names for it. Only the order of the events of one Job
 * matters, never how they are batched.
 */
export function project(rows: Rows, event: JobEvent): void {
  if (isOfJob(event)) projectStream(rows, event);
  else put(rows.clusters, foldCluster(find(rows.clusters, event.data.cluster), event));
}

function projectStream(rows: Rows, event: StreamEvent): void {
  const { cluster, jobUid } = event.data;
  const before = find(rows.jobs, cluster, jobUid);
  if (event.type === 'job.observed' || event.type === 'job.deleted') {
    rows.conditions.push(...conditionChanges(before, event));
  }
  const job = foldJob(before, event);
  put(rows.jobs, job);
  projectCreations(rows, event);
  const around = {
    job,
    pod: (uid: string) => find(rows.pods, cluster, jobUid, uid),
    creation: (name: string) => find(rows.creations, cluster, jobUid, name),
  };
  for (const row of foldPods(around, event)) put(rows.pods, row);
}

function projectCreations(rows: Rows, event: StreamEvent): void {
  const { cluster, jobUid } = event.data;
  const byName = (name: string) => find(rows.creations, cluster, jobUid, name);
  if (event.type === 'job.decided') {
    for (const row of wishedCreations(byName, event)) put(rows.creations, row);
  }
  if (event.type === 'command.answered') {
    for (const row of answeredCreations(byName, event)) put(rows.creations, row);
  }
}
