import type {
  ClusterConnected,
  ClusterGap,
  CommandAnswered,
  JobDecided,
  JobEvent,
} from '../../../workflows/job/events.ts';
import type { JobRow } from '../tables/jobs.ts';
import { foldCluster, gapSeen } from './clusters.ts';
import { answeredCommand, pendingCommands } from './commands.ts';
import { conditionChanges } from './conditions.ts';
import { answeredCreations, pendingCreations } from './creations.ts';
import { foldDecision } from './decisions.ts';
import { foldPhases } from './job-phases.ts';
import { statusesSeen } from './job-statuses.ts';
import { foldJobRow } from './jobs.ts';
import { foldPods } from './pods.ts';
import { find, put, putMissing, type Rows } from './rows.ts';
import { isOfJob, type StreamEvent } from './subjects.ts';
import type { JobRows } from './job-rows.ts';

/**
 * Folds one event into the rows, which must contain the rows named by `keysOf` and `lastDecisionsOf`. The result
 * depends only on the order of each Job's events, not on how they are batched.
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
  const job = foldJobRow(before, event);
  const jobRows = { job, rows };
  projectObservation(rows, before, job, event);
  if (event.type === 'job.decided') projectDecision(jobRows, before, event);
  if (event.type === 'command.answered') projectOutcome(jobRows, event);
  const pods = foldPods(jobRows, event);
  put(rows.jobs, foldPhases(jobRows, pods));
  for (const row of pods) put(rows.pods, row);
}

function projectObservation(rows: Rows, before: JobRow | undefined, after: JobRow, event: StreamEvent): void {
  if (event.type !== 'job.observed' && event.type !== 'job.deleted') return;
  putMissing(rows.conditions, conditionChanges(before, event));
  putMissing(rows.statuses, statusesSeen(before, after, event));
}

function projectDecision(jobRows: JobRows, before: JobRow | undefined, event: JobDecided): void {
  const { job, rows } = jobRows;
  for (const row of foldDecision(jobRows, before, event)) put(rows.decisions, row);
  for (const row of pendingCommands(job, event)) put(rows.commands, row);
  for (const row of pendingCreations(jobRows, event)) put(rows.creations, row);
}

function projectOutcome(jobRows: JobRows, event: CommandAnswered): void {
  const { job, rows } = jobRows;
  const { decision, command } = event.data;
  const asked = find(rows.commands, job.cluster, job.uid, decision, command);
  for (const row of answeredCommand(asked, event)) put(rows.commands, row);
  for (const row of answeredCreations(jobRows, event)) put(rows.creations, row);
}
