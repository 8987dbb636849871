import type { ClusterConnected, ClusterGap, JobEvent } from '../../../workflows/job/events.ts';
import type { JobRow } from '../tables/jobs.ts';
import { foldCluster, gapSeen } from './clusters.ts';
import { answeredCommand, wishedCommands } from './commands.ts';
import { conditionChanges } from './conditions.ts';
import { answeredCreations, wishedCreations } from './creations.ts';
import { foldDecision } from './decisions.ts';
import { foldPhases } from './job-phases.ts';
import { statusesSeen } from './job-statuses.ts';
import { foldJob } from './jobs.ts';
import { foldPods } from './pods.ts';
import { find, put, putMissing, type Rows } from './rows.ts';
import { isOfJob, type StreamEvent } from './subjects.ts';

/**
 * Folds one event into the rows. They must hold what `keysOf` and `lastDecisionsOf` name for it. Only the order of the
 * events of one Job matters, never how they are batched.
 */
export function project(rows: Rows, event: JobEvent): void {
  if (isOfJob(event)) projectStream(rows, event);
  else projectCluster(rows, event);
}

function projectCluster(rows: Rows, event: ClusterConnected | ClusterGap): void {
  put(rows.clusters, foldCluster(find(rows.clusters, event.data.cluster), event));
  if (event.type === 'cluster.gap') put(rows.gaps, gapSeen(event));
}

function projectStream(rows: Rows, event: StreamEvent): void {
  const { cluster, jobUid } = event.data;
  const before = find(rows.jobs, cluster, jobUid);
  const job = foldJob(before, event);
  projectObservation(rows, before, job, event);
  projectDecision(rows, before, job, event);
  const around = {
    job,
    pod: (uid: string) => find(rows.pods, cluster, jobUid, uid),
    creation: (name: string) => find(rows.creations, cluster, jobUid, name),
  };
  const pods = foldPods(around, event);
  put(rows.jobs, foldPhases(job, around.pod, pods));
  for (const row of pods) put(rows.pods, row);
}

function projectObservation(rows: Rows, before: JobRow | undefined, after: JobRow, event: StreamEvent): void {
  if (event.type !== 'job.observed' && event.type !== 'job.deleted') return;
  putMissing(rows.conditions, conditionChanges(before, event));
  putMissing(rows.statuses, statusesSeen(before, after, event));
}

function projectDecision(rows: Rows, before: JobRow | undefined, after: JobRow, event: StreamEvent): void {
  const { cluster, jobUid } = event.data;
  const creation = (name: string) => find(rows.creations, cluster, jobUid, name);
  if (event.type === 'job.decided') {
    const decision = (id: string | null) =>
      id === null ? undefined : find(rows.decisions, cluster, jobUid, id);
    for (const row of foldDecision(decision, before, after, event)) put(rows.decisions, row);
    for (const row of wishedCommands(after, event)) put(rows.commands, row);
    for (const row of wishedCreations(creation, event)) put(rows.creations, row);
  }
  if (event.type === 'command.answered') {
    const { decision, command } = event.data;
    const asked = find(rows.commands, cluster, jobUid, decision, command);
    for (const row of answeredCommand(asked, event)) put(rows.commands, row);
    for (const row of answeredCreations(creation, event)) put(rows.creations, row);
  }
}
