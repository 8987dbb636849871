import { compact } from '../../workflows/job/observe/compact.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { AwaitedFacts, Fact } from '../../workflows/job/facts.ts';
import type { Preconditions } from '../../workflows/job/definitions/preconditions.ts';
import { podName } from '../../workflows/job/definitions/pod-names.ts';
import {
  COMPLETION_INDEX,
  CONTROLLER_UID_LABEL,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  OWN_FINALIZER,
  OWN_MANAGER,
} from '../../workflows/kubernetes/names.ts';
import type {
  ContainerStatus,
  Job,
  JobSpec,
  JobStatus,
  OwnerReference,
  Pod,
} from '../../workflows/kubernetes/objects.ts';

/** Tests that put several streams into one ledger build each in its own process (test/baseline/record.ts). */
export const CLUSTER = process.env['JOBLEDGER_MODEL_CLUSTER'] ?? 'east';
export const JOB_UID = process.env['JOBLEDGER_MODEL_JOB_UID'] ?? 'a3f0c2de-0000-4000-8000-000000000001';
export const JOB_NAME = 'pi';
/** Identifies the decider in records of decisions. */
export const DECIDER = {
  cluster: CLUSTER,
  jobUid: JOB_UID,
  subject: `default/${JOB_NAME}`,
  firstRunId: 'chain-1',
};
/** The start of every test, in milliseconds. */
export const START = Date.parse('2026-03-01T12:00:00Z');

export type JobSeen = Extract<Fact, { type: 'job.observed' }>;
export type PodSeen = Extract<Fact, { type: 'pod.observed' }>;
export type PodGone = Extract<Fact, { type: 'pod.deleted' }>;

/** The instant this many seconds after the start, as the API writes it. */
export function at(seconds: number): string {
  return `${new Date(START + Math.floor(seconds) * 1000).toISOString().slice(0, 19)}Z`;
}

let lastVersion = 100;

/** resourceVersions ascend in the order of the calls of builders. */
export function nextVersion(): string {
  lastVersion += 1;
  return String(lastVersion);
}

/** Restarts resourceVersions and uids as in a new process. */
export function startAnew(): void {
  lastVersion = 100;
}

export interface JobFields extends Partial<JobSpec> {
  name?: string;
  uid?: string;
  status?: JobStatus;
  generation?: number;
  deleting?: boolean;
  restartPolicy?: string;
  version?: string;
  annotations?: Record<string, string>;
  /** The name of a SuperJob that controls it. */
  owner?: string;
}

/** One of our Jobs, as the API server returns it. */
export function jobObject(fields: JobFields = {}): Job {
  const { name, uid = JOB_UID, status, generation, deleting, restartPolicy, ...others } = fields;
  const { version, annotations, owner, ...spec } = others;
  const labels = { [CONTROLLER_UID_LABEL]: uid };
  return {
    metadata: {
      name: name ?? JOB_NAME,
      namespace: 'default',
      uid,
      resourceVersion: version ?? nextVersion(),
      generation: generation ?? 1,
      creationTimestamp: at(0),
      ...(annotations && { annotations }),
      ...(owner !== undefined && { ownerReferences: [superJob(owner)] }),
      ...(deleting === true && { deletionTimestamp: at(0), finalizers: ['foregroundDeletion'] }),
    },
    spec: {
      managedBy: OWN_MANAGER,
      backoffLimit: 6,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { restartPolicy: restartPolicy ?? 'Never', containers: [] } },
      ...spec,
    },
    ...(status && { status }),
  };
}

function superJob(name: string): OwnerReference {
  return { apiVersion: 'example.com/v1', kind: 'SuperJob', name, uid: `uid-of-${name}`, controller: true };
}

/** The version of a new Job that a command was decided on. */
export const PRECONDITIONS: Preconditions = {
  resourceVersion: '1',
  generation: 1,
  succeeded: 0,
  failed: 0,
  deadline: null,
};

/** The fact that a Job was observed. */
export function aJob(fields: JobFields = {}): JobSeen {
  const object = jobObject(fields);
  const id = `${CLUSTER}/job/${object.metadata.uid}/${object.metadata.resourceVersion}`;
  return compactFact<JobSeen>('job.observed', id, { object });
}

export interface PodFields {
  name?: string;
  uid?: string;
  /** Gives the pod the name that the Job's creation of this ordinal has. */
  ordinal?: number;
  phase?: string;
  ready?: boolean;
  /** Seconds after the start, like all instants here. */
  readySince?: number;
  created?: number;
  finished?: number;
  deleted?: number;
  grace?: number;
  untracked?: boolean;
  unscheduled?: boolean;
  restarts?: number;
  index?: number;
  /** Counted and ignored failures of its index before this one, as annotated. */
  failureCount?: number;
  ignoredFailureCount?: number;
  /** Exit codes by container. Default: `main` exits with 0 or 1. */
  exits?: Record<string, number>;
  /** Exit codes of init containers. */
  initExits?: Record<string, number>;
  /** Types of conditions that are True. */
  conditions?: string[];
  /** `none`: without controller; any other text: that controller's uid. */
  controller?: string;
  labels?: Record<string, string>;
  version?: string;
}

/** A pod of the Job `pi`, as the API server returns it: running and tracked by default. */
export function podObject(fields: PodFields = {}): Pod {
  const version = fields.version ?? nextVersion();
  const name = podFieldsName(fields, version);
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: fields.uid ?? `uid-of-${name}`,
      resourceVersion: version,
      creationTimestamp: at(fields.created ?? 0),
      ...annotated(fields),
      labels: fields.labels ?? { [CONTROLLER_UID_LABEL]: JOB_UID },
      ...(fields.untracked !== true && { finalizers: [OWN_FINALIZER] }),
      ...ownedBy(fields.controller ?? JOB_UID),
      ...(fields.deleted !== undefined && {
        deletionTimestamp: at(fields.deleted + (fields.grace ?? 30)),
        deletionGracePeriodSeconds: fields.grace ?? 30,
      }),
    },
    spec: { containers: [{ name: 'main' }], ...(fields.unscheduled !== true && { nodeName: 'node-1' }) },
    status: podStatus(fields),
  };
}

function podFieldsName({ name, ordinal, index }: PodFields, version: string): string {
  if (name !== undefined) return name;
  return ordinal === undefined ? `pod-${version}` : podName({ uid: JOB_UID, name: JOB_NAME }, ordinal, index);
}

function annotated({
  index,
  failureCount,
  ignoredFailureCount,
}: PodFields): Pick<Pod['metadata'], 'annotations'> {
  if (index === undefined) return {};
  const annotations = {
    [COMPLETION_INDEX]: String(index),
    ...(failureCount !== undefined && { [INDEX_FAILURE_COUNT]: String(failureCount) }),
    ...(ignoredFailureCount !== undefined && { [INDEX_IGNORED_FAILURE_COUNT]: String(ignoredFailureCount) }),
  };
  return { annotations };
}

function ownedBy(uid: string): Pick<Pod['metadata'], 'ownerReferences'> {
  if (uid === 'none') return {};
  return {
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: JOB_NAME, uid, controller: true }],
  };
}

function podStatus({
  phase = 'Running',
  ready,
  readySince,
  restarts,
  finished,
  exits,
  initExits = {},
  conditions: others = [],
}: PodFields): NonNullable<Pod['status']> {
  const restartCount = restarts ?? 0;
  const isTerminal = phase === 'Succeeded' || phase === 'Failed';
  const finishedAt = at(finished ?? -3600);
  const ended = ([name, exitCode]: [string, number]): ContainerStatus => ({
    name,
    restartCount,
    ...((isTerminal || exits !== undefined) && { state: { terminated: { exitCode, finishedAt } } }),
  });
  const isReady = ready ?? readySince !== undefined;
  const conditions = [
    ...(isReady ? [{ type: 'Ready', status: 'True', lastTransitionTime: at(readySince ?? 1) }] : []),
    ...others.map((type) => ({ type, status: 'True' })),
  ];
  return {
    phase,
    containerStatuses: Object.entries(exits ?? { main: phase === 'Failed' ? 1 : 0 }).map(ended),
    ...(Object.keys(initExits).length > 0 && { initContainerStatuses: Object.entries(initExits).map(ended) }),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** The fact that a pod was observed: running and tracked by default. */
export function aPod(fields: PodFields = {}): PodSeen {
  const object = podObject(fields);
  const id = `${CLUSTER}/pod/${object.metadata.uid}/${object.metadata.resourceVersion}`;
  return compactFact<PodSeen>('pod.observed', id, { object });
}

export function aRunningPod(fields: PodFields = {}): PodSeen {
  return aPod({ ...fields, phase: 'Running' });
}

/** A pod that is not assigned to a node. */
export function aPendingPod(fields: PodFields = {}): PodSeen {
  return aPod({ unscheduled: true, ...fields, phase: 'Pending' });
}

export function aSucceededPod(fields: PodFields = {}): PodSeen {
  return aPod({ ...fields, phase: 'Succeeded' });
}

export function aFailedPod(fields: PodFields = {}): PodSeen {
  return aPod({ ...fields, phase: 'Failed' });
}

/** Running, with a deletionTimestamp in the past. */
export function aTerminatingPod(fields: PodFields = {}): PodSeen {
  return aPod({ deleted: -3600, ...fields, phase: fields.phase ?? 'Running' });
}

/** The fact that the pod was deleted. `unseen`: while nothing watched. */
export function podDeletion(pod: PodSeen, { unseen = false, version = nextVersion() } = {}): PodGone {
  const { uid, name } = pod.pod;
  const id = `${CLUSTER}/pod/${uid}/${unseen ? 'gone' : `${version}/deleted`}`;
  return { id, digest: computeDigest(id), type: 'pod.deleted', uid, name, resourceVersion: version };
}

export function jobDeleted(version = nextVersion()): Fact {
  const id = `${CLUSTER}/job/${JOB_UID}/${version}/deleted`;
  return { id, digest: computeDigest(id), type: 'job.deleted', resourceVersion: version };
}

/** A Job that the Job `pi` waits for, as its stream shows it; `ended` in seconds after the start. */
export function anAwaitedJob({
  name,
  uid = `uid-of-${name}`,
  waitsFor,
  end,
  ended = 5,
  reason = '',
  gone: isGone = false,
  missing = false,
  version = nextVersion(),
}: AwaitedFields): Fact {
  const awaited: AwaitedFacts = {
    name,
    resourceVersion: version,
    ...(missing ? { since: START } : { uid }),
    ...(waitsFor && { waitsFor }),
    ...(end && { end: { type: end, reason, at: START + ended * 1000 } }),
    ...(isGone && { gone: true }),
  };
  const id = `${CLUSTER}/awaited/${JOB_UID}/${uid}/${version}`;
  return { id, digest: computeDigest(awaited), type: 'awaited-job.observed', awaited };
}

export interface AwaitedFields {
  name: string;
  uid?: string;
  waitsFor?: string[];
  end?: 'Complete' | 'Failed';
  ended?: number;
  reason?: string;
  gone?: boolean;
  missing?: boolean;
  version?: string;
}

/** A user request. */
export function userRequest(action: 'suspend' | 'resume', by = 'ann'): Fact {
  const id = `${CLUSTER}/${JOB_UID}/request/${nextVersion()}`;
  return { id, digest: computeDigest(id), type: 'request.received', action, by };
}

/** The facts that the core reads in the ledger's record of an object. */
function compactFact<F extends Fact>(type: F['type'], id: string, content: { object: Job | Pod }): F {
  const data = { cluster: CLUSTER, jobUid: JOB_UID, ...content };
  const event = { id, type, source: CLUSTER, subject: `default/${JOB_NAME}`, time: at(0), data };
  return compact({ ...event, digest: computeDigest(data) } as JobEvent) as F;
}
