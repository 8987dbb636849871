import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import type { CommandAnswered, JobDecided, PodDeleted, PodObserved } from '../../../workflows/job/events.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { compareVersions } from '../../../workflows/job/definitions/resource-version.ts';
import type { CreationRow, PodRow } from '../tables/pods.ts';
import { timestampOf, instantAt, versionNumber } from './instants.ts';
import { columnsOfPod, readySince } from './pod-object.ts';
import type { StreamEvent } from './subjects.ts';
import { creationOf, podOf, type JobRows } from './job-rows.ts';
import { whyEnded } from './why-ended.ts';

/** The rows of the pods that an event changes. */
export function foldPods(around: JobRows, event: StreamEvent): PodRow[] {
  switch (event.type) {
    case 'pod.observed':
      return foldObserved(around, event);
    case 'pod.deleted':
      return foldDeleted(around, event);
    case 'job.decided':
      return foldDecided(around, event);
    case 'command.answered':
      return [...foldCreated(around, event), ...foldNotDeleted(around, event)];
    case 'job.observed':
    case 'job.deleted':
    case 'command.received':
    case 'job.folded':
      return [];
  }
}

function foldObserved(around: JobRows, event: PodObserved): PodRow[] {
  const { object } = event.data;
  const before = podOf(around, object.metadata.uid);
  if (before !== undefined && !isNewerObject(before, object.metadata.resourceVersion)) return [];
  const row = seen(around, before ?? unseenPod(around, event, object.metadata), object);
  return [ended(around, { ...row, last_seen_at: timeOf(event), deleted_at: null }, object)];
}

function foldDeleted(around: JobRows, event: PodDeleted): PodRow[] {
  const { podUid: uid, podName: name, resourceVersion, object } = event.data;
  const before = podOf(around, uid) ?? unseenPod(around, event, { uid, name });
  if (compareVersions(versionNumber(resourceVersion), before.resource_version) < 0) return [];
  const row =
    object !== undefined && isNewerObject(before, resourceVersion) ? seen(around, before, object) : before;
  const time = timeOf(event);
  return [ended(around, { ...row, last_seen_at: time, deleted_at: before.deleted_at ?? time }, object)];
}

function seen(around: JobRows, before: PodRow, object: Pod): PodRow {
  const row = { ...before, ...columnsOfPod(object) };
  return {
    ...row,
    ...creationColumns(row, creationOf(around, row.name)),
    first_ready_at: before.first_ready_at ?? readySince(object),
  };
}

/** The reason is fixed when the end is seen first: what is asked for later did not cause it. */
function ended(around: JobRows, row: PodRow, object: Pod | undefined): PodRow {
  const over = isTerminal(row.phase ?? undefined) || row.deleted_at !== null;
  if (!over || row.why_ended !== null) return row;
  return { ...row, why_ended: whyEnded(row, around.job, object) };
}

/** Pods that exist but were not observed yet are known by the answer to their creation. */
function foldCreated(around: JobRows, event: CommandAnswered): PodRow[] {
  const { answer } = event.data;
  if (answer.kind !== 'CreatePods') return [];
  return answer.pods.flatMap((pod) => {
    if (pod.result !== 'created') return [];
    const before = podOf(around, pod.uid) ?? {
      ...unseenPod(around, event, pod),
      created_at: instantAt(answer.at),
    };
    return [{ ...before, ...creationColumns(before, creationOf(around, pod.name)) }];
  });
}

/** A deletion that was refused explains nothing; the next decision may ask again. */
function foldNotDeleted(around: JobRows, { data }: CommandAnswered): PodRow[] {
  if (data.answer.kind !== 'DeletePods') return [];
  return data.answer.pods.flatMap(({ uid, result }) => {
    const row = podOf(around, uid);
    if (result !== 'failed' || row?.deleted_by !== data.decision) return [];
    return [
      { ...row, deleted_by: null, deletion_rule: null, deletion_words: null, deletion_decided_at: null },
    ];
  });
}

/** One decision may both delete a pod and count it. */
function foldDecided(around: JobRows, event: JobDecided): PodRow[] {
  const wished = new Map(foldDeletionWishes(around, event).map((row) => [row.uid, row]));
  for (const row of foldCounts(around, wished, event)) wished.set(row.uid, row);
  return [...wished.values()];
}

function foldDeletionWishes(around: JobRows, event: JobDecided): PodRow[] {
  return event.data.commands
    .filter((command) => command.kind === 'DeletePods')
    .flatMap(({ pods, why }) =>
      pods.flatMap((pod) => {
        const before = podOf(around, pod.uid) ?? unseenPod(around, event, pod);
        if (before.deleted_by !== null) return [];
        return [
          {
            ...before,
            deleted_by: event.id,
            deletion_rule: why.rule,
            deletion_words: why.words,
            deletion_decided_at: instantAt(event.data.now),
          },
        ];
      }),
    );
}

function foldCounts(around: JobRows, wished: ReadonlyMap<string, PodRow>, event: JobDecided): PodRow[] {
  return event.data.commands
    .filter((command) => command.kind === 'WriteStatus')
    .flatMap(({ counted }) => [
      ...counted.succeeded.map((uid) => ({ uid, as: 'succeeded' })),
      ...counted.failed.map((uid) => ({ uid, as: 'failed' })),
    ])
    .flatMap(({ uid, as }) => {
      const row = wished.get(uid) ?? podOf(around, uid);
      return row === undefined ? [] : [{ ...row, counted_as: as, counted_by: event.id }];
    });
}

function creationColumns(before: PodRow, creation: CreationRow | undefined): Partial<PodRow> {
  if (creation === undefined) return {};
  const isOurs = creation.result !== 'taken' && (creation.pod_uid ?? before.uid) === before.uid;
  if (!isOurs) return { created_by: null, created_rule: null, why_created: null };
  return {
    created_by: creation.decision,
    created_rule: creation.rule,
    why_created: creation.words,
    completion_index: before.completion_index ?? creation.completion_index,
  };
}

function unseenPod(
  { job }: JobRows,
  event: StreamEvent,
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
    node: null,
    restarts: 0,
    labels: {},
    resource_version: '0',
    created_at: null,
    started_at: null,
    first_ready_at: null,
    finished_at: null,
    deletion_requested_at: null,
    deleted_at: null,
    created_by: null,
    created_rule: null,
    why_created: null,
    deleted_by: null,
    deletion_rule: null,
    deletion_words: null,
    deletion_decided_at: null,
    why_ended: null,
    counted_as: null,
    counted_by: null,
    first_seen_at: timeOf(event),
    last_seen_at: timeOf(event),
  };
}

function isNewerObject(before: PodRow, resourceVersion: string): boolean {
  return compareVersions(versionNumber(resourceVersion), before.resource_version) > 0;
}

function timeOf(event: StreamEvent): string {
  return timestampOf(event.time) ?? event.time;
}
