import type { JobDecided, JobEvent, OutcomeRecorded } from '../../../workflows/job/events.ts';
import type { CronJobEvent } from '../../../workflows/cron-job/events.ts';
import { belongsToHistory, byKind, type LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { PlacementEvent } from '../../../workflows/placement/events.ts';
import { PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import { apiRequestRow } from './api-requests.ts';
import { chainChanges } from './chains.ts';
import { foldCluster, toGapRow } from './clusters.ts';
import { answeredCommand, pendingCommands } from './commands.ts';
import { conditionChanges } from './conditions.ts';
import { answeredCreations, pendingCreations } from './creations.ts';
import { answeredStart, pendingStarts } from './cron-job-starts.ts';
import { foldCronJobRow, versionsSeen } from './cron-jobs.ts';
import { foldDecision } from './decisions.ts';
import { foldPhases } from './job-phases.ts';
import { foldSituation } from './job-situations.ts';
import { asJobEvent } from './as-job-event.ts';
import { statusesSeen } from './job-statuses.ts';
import { foldJobRow } from './jobs.ts';
import { droppedEventRows, kubernetesEventRow } from './kubernetes-events.ts';
import { placementChanges } from './placements.ts';
import { foldPods } from './pods.ts';
import { appliedPriceRows } from './prices.ts';
import { findStored, putChanges, type Changes, type Rows } from './rows.ts';
import { nodeVersionRow } from './nodes.ts';
import { isOfJob, type ClusterEvent, type JobStreamEvent } from './subjects.ts';
import type { JobRows } from './job-rows.ts';

/**
 * Projects each event onto the rows that the previous events left. The result depends only on the order of the events
 * of each Job and CronJob, not on the division of the events into batches.
 */
export function projectAll(rows: Rows, events: readonly LedgerEvent[]): void {
  for (const { missing } of Object.values(rows)) missing.clear();
  for (const event of events) putChanges(rows, project(rows, event));
}

/** The rows that an event adds or changes. */
function project(rows: Rows, event: LedgerEvent): Changes {
  return byKind(event, {
    PlacedJob: (placed) => projectPlacedJob(rows, placed),
    Job: (ofJob) => projectJob(rows, ofJob),
    CronJob: (ofCronJob) => projectCronJob(rows, ofCronJob),
  });
}

function projectPlacedJob(rows: Rows, event: PlacementEvent): Changes {
  const asJob = asJobEvent(event);
  return {
    ...(asJob !== null && projectStream(rows, asJob)),
    placements: placementChanges(rows, event),
  };
}

/** The rows that an event of a Job or of a whole cluster adds or changes. */
function projectJob(rows: Rows, event: JobEvent): Changes {
  // Only the event is stored, because a Job gets its rows when the Job is observed.
  if (event.type === 'submission.received' || event.type === 'job.submitted' || event.type === 'job.detached')
    return {};
  if (event.type === 'api-request.audited') return { apiRequests: [apiRequestRow(event)] };
  if (event.type === 'kubernetes-event.observed') return { kubernetesEvents: [kubernetesEventRow(event)] };
  if (event.type === 'kubernetes-events.dropped') return { droppedEvents: droppedEventRows(event) };
  if (event.type === 'prices.applied') return { prices: appliedPriceRows(event) };
  if (event.type === 'node.observed' || event.type === 'node.deleted')
    return { nodeVersions: [nodeVersionRow(event)] };
  if (!isOfJob(event)) return projectCluster(rows, event);
  const row = findStored(rows.jobs, event.data.cluster, event.data.jobUid);
  return belongsToHistory(kindOfRow(row), event) ? projectStream(rows, event) : {};
}

function kindOfRow(row: JobRow | undefined): 'PlacedJob' | 'Job' {
  return row?.managed_by === PLACEMENT_MANAGER ? 'PlacedJob' : 'Job';
}

function projectCluster(rows: Rows, event: ClusterEvent): Changes {
  const cluster = foldCluster(findStored(rows.clusters, event.data.cluster), event);
  const isGap = event.type === 'cluster.gap' || event.type === 'cluster.restored';
  return { clusters: [cluster], gaps: isGap ? [toGapRow(event)] : [] };
}

/** The changes that an event in the stream of a Job causes. */
function projectStream(rows: Rows, event: JobStreamEvent): Changes {
  const { cluster, jobUid } = event.data;
  const before = findStored(rows.jobs, cluster, jobUid);
  const jobRows = { job: foldJobRow(before, event), rows };
  const pods = foldPods(jobRows, event);
  const job = foldSituation(jobRows, foldPhases(jobRows, pods), pods);
  return { ...projectOfType(jobRows, before, event), jobs: [job], pods };
}

/** The changes of all tables except those of Jobs and pods. */
function projectOfType(jobRows: JobRows, before: JobRow | undefined, event: JobStreamEvent): Changes {
  switch (event.type) {
    case 'job.observed':
    case 'job.deleted':
      return {
        conditions: conditionChanges(before, event),
        statuses: statusesSeen(before, jobRows.job, event),
        chains: chainChanges(jobRows, before, event),
      };
    case 'awaited-job.observed':
      return { chains: chainChanges(jobRows, before, event) };
    case 'job.decided':
      return projectDecision(jobRows, before, event);
    case 'outcome.recorded':
      return projectOutcome(jobRows, event);
    case 'pod.observed':
    case 'pod.deleted':
    case 'request.received':
    case 'job.submitted':
    case 'api-request.audited':
    case 'kubernetes-event.observed':
    case 'job.detached':
    case 'job.folded':
    case 'job.snapshotted':
      return {};
  }
}

function projectDecision(jobRows: JobRows, before: JobRow | undefined, event: JobDecided): Changes {
  return {
    decisions: foldDecision(jobRows, before, event),
    commands: pendingCommands(jobRows.job, event),
    creations: pendingCreations(jobRows, event),
  };
}

function projectOutcome(jobRows: JobRows, event: OutcomeRecorded): Changes {
  const { job, rows } = jobRows;
  const { decision, command } = event.data;
  const asked = findStored(rows.commands, job.cluster, job.uid, decision, command);
  return { commands: answeredCommand(asked, event), creations: answeredCreations(jobRows, event) };
}

function projectCronJob(rows: Rows, event: CronJobEvent): Changes {
  const { cluster, cronJobUid } = event.data;
  const before = findStored(rows.cronJobs, cluster, cronJobUid);
  const row = foldCronJobRow(before, event);
  switch (event.type) {
    case 'cronjob.observed':
    case 'cronjob.deleted':
      return { cronJobs: [row], cronJobVersions: versionsSeen(before, row, event) };
    case 'cronjob.decided':
      return { cronJobs: [row], cronJobStarts: pendingStarts(row, event) };
    case 'outcome.recorded': {
      const { decision, command } = event.data;
      const asked = findStored(rows.cronJobStarts, cluster, cronJobUid, decision, command);
      return { cronJobs: [row], cronJobStarts: answeredStart(asked, event) };
    }
    case 'job.observed':
    case 'job.deleted':
    case 'watch.passed':
    case 'request.received':
    case 'cronjob.folded':
    case 'cronjob.snapshotted':
      return { cronJobs: [row] };
  }
}
