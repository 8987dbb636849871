import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import type { OutcomeRecorded, JobDecided, PodDeleted, PodObserved } from '../../../workflows/job/events.ts';
import type { InEpoch } from '../../../workflows/ledger/recorded-event.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import type { CreationRow, PodRow } from '../../read-model/tables/pods.ts';
import { answeredCreations } from './creations.ts';
import { toTimestamp, instantAt, versionNumber } from './instants.ts';
import { addHold, boundAt, lastContainerEnd, requestSteps } from './pod-hold.ts';
import { columnsOfPod, readySince } from './pod-object.ts';
import { firstContainerStart, specColumnsOfPod } from './pod-spec.ts';
import type { JobStreamEvent } from './subjects.ts';
import { findCreation, findPod, type JobRows } from './job-rows.ts';
import { podEnd } from './pod-end.ts';

/** The rows of the pods that an event changes. */
export function foldPods(jobRows: JobRows, event: JobStreamEvent): PodRow[] {
  switch (event.type) {
    case 'pod.observed':
      return foldObserved(jobRows, event);
    case 'pod.deleted':
      return foldDeleted(jobRows, event);
    case 'job.decided':
      return foldDecided(jobRows, event);
    case 'outcome.recorded':
      return [...foldCreated(jobRows, event), ...foldRefusedDeletions(jobRows, event)];
    case 'job.observed':
    case 'job.deleted':
    case 'awaited-job.observed':
    case 'request.received':
    case 'job.submitted':
    case 'api-request.audited':
    case 'kubernetes-event.observed':
    case 'job.detached':
    case 'job.folded':
    case 'job.snapshotted':
      return [];
  }
}

function foldObserved(jobRows: JobRows, event: PodObserved): PodRow[] {
  const { data } = event;
  const { object } = data;
  const before = findPod(jobRows, object.metadata.uid);
  if (before !== undefined && !isNewerObject(before, object.metadata.resourceVersion, data)) return [];
  const time = eventTime(event);
  const row = rowAfterVersion(jobRows, before ?? unseenPod(jobRows, event, object.metadata), {
    object,
    inEpoch: data,
    time,
  });
  const held = addHold(before, { ...row, last_seen_at: time, deleted_at: null }, { time, isSeen: true });
  return [addEnd(jobRows, held, { event, object })];
}

function foldDeleted(jobRows: JobRows, event: PodDeleted): PodRow[] {
  const { data } = event;
  const { podUid: uid, podName: name, resourceVersion, object } = data;
  const time = eventTime(event);
  const before = findPod(jobRows, uid) ?? unseenPod(jobRows, event, { uid, name });
  if (compareVersions(versionNumber(resourceVersion, data), before.resource_version) < 0) return [];
  const row =
    object !== undefined && isNewerObject(before, resourceVersion, data)
      ? rowAfterVersion(jobRows, before, { object, inEpoch: data, time })
      : before;
  const deleted = { ...row, last_seen_at: time, deleted_at: before.deleted_at ?? time };
  return [addEnd(jobRows, addHold(before, deleted, { time, isSeen: data.seen }), { event, object })];
}

/** The row of a pod after a version of the pod. */
function rowAfterVersion(
  jobRows: JobRows,
  before: PodRow,
  { object, inEpoch, time }: { object: Pod; inEpoch: InEpoch; time: string },
): PodRow {
  const resourceVersion = versionNumber(object.metadata.resourceVersion, inEpoch);
  const spec = specColumnsOfPod(object);
  const row = {
    ...before,
    ...columnsOfPod(object),
    ...spec,
    request_steps: requestSteps(before, spec, time),
    bound_at: before.bound_at ?? boundAt(object),
    last_container_ended_at: lastContainerEnd(object),
    resource_version: resourceVersion,
  };
  return {
    ...row,
    ...creationColumns(row, findCreation(jobRows, row.name)),
    first_container_started_at: before.first_container_started_at ?? firstContainerStart(object),
    first_ready_at: before.first_ready_at ?? readySince(object),
  };
}

/**
 * The row with the reason for the end of the pod. The first observation of the end determines this reason, because
 * later requests did not cause the end.
 */
function addEnd(
  jobRows: JobRows,
  row: PodRow,
  { event, object }: { event: JobStreamEvent; object: Pod | undefined },
): PodRow {
  const over = isTerminal(row.phase ?? undefined) || row.deleted_at !== null;
  if (!over || row.end_message !== null) return row;
  return { ...row, ...podEnd(row, jobRows.job, object), end_event_id: event.id };
}

/** The rows of created pods. A pod that is not observed yet gets its row from the outcome of its creation. */
function foldCreated(jobRows: JobRows, event: OutcomeRecorded): PodRow[] {
  const { outcome } = event.data;
  if (outcome.kind !== 'CreatePods') return [];
  const answered = new Map(answeredCreations(jobRows, event).map((row) => [row.name, row]));
  return outcome.pods.flatMap((pod) => {
    if (pod.result !== 'created') return [];
    const before = findPod(jobRows, pod.uid) ?? {
      ...unseenPod(jobRows, event, pod),
      created_at: instantAt(outcome.at),
    };
    const creation = answered.get(pod.name) ?? findCreation(jobRows, pod.name);
    return [{ ...before, ...creationColumns(before, creation) }];
  });
}

/**
 * The rows of pods whose deletion was refused. A refused deletion did not cause the end of the pod; the next decision
 * may repeat the deletion.
 */
function foldRefusedDeletions(jobRows: JobRows, { data }: OutcomeRecorded): PodRow[] {
  if (data.outcome.kind !== 'DeletePods') return [];
  return data.outcome.pods.flatMap(({ uid, result }) => {
    const row = findPod(jobRows, uid);
    if (result !== 'failed' || row?.deletion_decision !== data.decision) return [];
    return [
      {
        ...row,
        deletion_decision: null,
        deletion_rule: null,
        deletion_message: null,
        deletion_decided_at: null,
      },
    ];
  });
}

/** The rows of the pods that a decision deletes or counts. One decision may both delete and count a pod. */
function foldDecided(jobRows: JobRows, event: JobDecided): PodRow[] {
  const requested = new Map(foldDeletionRequests(jobRows, event).map((row) => [row.uid, row]));
  for (const row of foldCounts(jobRows, requested, event)) requested.set(row.uid, row);
  return [...requested.values()];
}

function foldDeletionRequests(jobRows: JobRows, event: JobDecided): PodRow[] {
  return event.data.commands
    .filter((command) => command.kind === 'DeletePods')
    .flatMap(({ pods, why }) =>
      pods.flatMap((pod) => {
        const before = findPod(jobRows, pod.uid) ?? unseenPod(jobRows, event, pod);
        if (before.deletion_decision !== null) return [];
        return [
          {
            ...before,
            deletion_decision: event.id,
            deletion_rule: why.rule,
            deletion_message: why.message,
            deletion_decided_at: instantAt(event.data.now),
          },
        ];
      }),
    );
}

function foldCounts(jobRows: JobRows, requested: ReadonlyMap<string, PodRow>, event: JobDecided): PodRow[] {
  return event.data.commands
    .filter((command) => command.kind === 'WriteStatus')
    .flatMap(({ counted }) => [
      ...counted.succeeded.map((uid) => ({ uid, as: 'succeeded' })),
      ...counted.failed.map((uid) => ({ uid, as: 'failed' })),
    ])
    .flatMap(({ uid, as }) => {
      const row = requested.get(uid) ?? findPod(jobRows, uid);
      return row === undefined ? [] : [{ ...row, counted_as: as, count_decision: event.id }];
    });
}

/** The columns about the creation of a pod; null values if another pod was created. */
function creationColumns(before: PodRow, creation: CreationRow | undefined): Partial<PodRow> {
  if (creation === undefined) return {};
  const isOurs = creation.result !== 'taken' && (creation.pod_uid ?? before.uid) === before.uid;
  if (!isOurs) return { creation_decision: null, creation_rule: null, creation_message: null };
  return {
    creation_decision: creation.decision,
    creation_rule: creation.rule,
    creation_message: creation.message,
    completion_index: before.completion_index ?? creation.completion_index,
  };
}

/** The row of a pod that an event names before the pod is observed. */
function unseenPod(
  { job }: JobRows,
  event: JobStreamEvent,
  { uid, name }: { uid: string; name: string },
): PodRow {
  return {
    cluster: event.data.cluster,
    job_uid: event.data.jobUid,
    uid,
    namespace: job.namespace,
    job_name: job.name,
    name,
    completion_index: null,
    phase: null,
    exit_code: null,
    reason: null,
    message: null,
    container: null,
    node: null,
    image: null,
    image_digest: null,
    cpu_request_cores: null,
    memory_request_bytes: null,
    gpu_request: null,
    requests: {},
    limits: {},
    request_steps: null,
    priority_class: null,
    qos_class: null,
    restarts: 0,
    restarted: null,
    labels: {},
    resource_version: '0',
    created_at: null,
    bound_at: null,
    started_at: null,
    first_container_started_at: null,
    first_ready_at: null,
    last_container_ended_at: null,
    finished_at: null,
    held_until: null,
    held_until_at_least: null,
    deletion_requested_at: null,
    deleted_at: null,
    creation_decision: null,
    creation_rule: null,
    creation_message: null,
    deletion_decision: null,
    deletion_rule: null,
    deletion_message: null,
    deletion_decided_at: null,
    end_cause: null,
    end_message: null,
    end_event_id: null,
    counted_as: null,
    count_decision: null,
    first_seen_at: eventTime(event),
    last_seen_at: eventTime(event),
  };
}

function isNewerObject(before: PodRow, resourceVersion: string, inEpoch: InEpoch): boolean {
  return compareVersions(versionNumber(resourceVersion, inEpoch), before.resource_version) > 0;
}

function eventTime(event: JobStreamEvent): string {
  return toTimestamp(event.time) ?? event.time;
}
