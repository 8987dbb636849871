import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { DecisionContent, JobEvent } from '../../workflows/job/events.ts';
import type { ClusterConnected, ClusterGap } from '../../workflows/ledger/cluster-events.ts';
import type { Reason } from '../../workflows/decision/reason.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import type { Job, JobSpec, JobStatus, Pod } from '../../workflows/kubernetes/objects.ts';
import { PRECONDITIONS } from '../support/builders.ts';

export const CLUSTER = 'east';
export const JOB_UID = 'job-1';
export const START = Date.parse('2026-03-31T23:59:00Z');

const SUBJECT = 'default/pi';

/** An instant that many seconds after the start of the story. */
export function after(seconds: number): string {
  return new Date(START + seconds * 1000).toISOString();
}

/** Any event of the Job `default/pi`. `version` is the object's resourceVersion. */
type Moment = { at: number; version?: number };

const of = { cluster: CLUSTER, jobUid: JOB_UID };

function event(type: string, id: string, at: number, data: object): JobEvent {
  return withDigest({ id, type, source: CLUSTER, subject: SUBJECT, time: after(at), data } as never);
}

export function aJob(fields: {
  version: number;
  spec?: JobSpec;
  status?: JobStatus;
  metadata?: Partial<Job['metadata']>;
}): Job {
  return {
    metadata: {
      name: 'pi',
      namespace: 'default',
      uid: JOB_UID,
      resourceVersion: String(fields.version),
      creationTimestamp: after(0),
      labels: { team: 'maths' },
      ...fields.metadata,
    },
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, ...fields.spec },
    status: fields.status ?? {},
  };
}

export function jobObserved(at: number, job: Job, jobUid = JOB_UID): JobEvent {
  const id = `${CLUSTER}/jobs/${jobUid}/${job.metadata.resourceVersion}`;
  return event('job.observed', id, at, { ...of, jobUid, object: job });
}

export function jobSubmitted(at: number): JobEvent {
  return event('job.submitted', `${CLUSTER}/${JOB_UID}/submitted`, at, {
    ...of,
    submission: 's1',
    by: 'ann',
  });
}

export function jobReleased(at: number): JobEvent {
  const release = { detachment: 'r1', by: 'ann', podCount: 2, runningPodCount: 1, uncountedPodCount: 1 };
  return event('job.detached', `${CLUSTER}/${JOB_UID}/released/r1`, at, { ...of, ...release, open: true });
}

export function requestReceived(at: number, action: 'suspend' | 'resume', by: string): JobEvent {
  return event('request.received', `${CLUSTER}/${JOB_UID}/request/${at}`, at, { ...of, action, by });
}

export function submissionReceived(at: number): JobEvent {
  const data = { cluster: CLUSTER, submission: 's1', namespace: 'default', name: 'pi', by: 'ann' };
  return event('submission.received', `${CLUSTER}/submission/s1`, at, data);
}

export function jobDeleted({ at, version = 0 }: Moment, seen = true): JobEvent {
  const id = `${CLUSTER}/jobs/${JOB_UID}/${version}/deleted`;
  return event('job.deleted', id, at, { ...of, resourceVersion: String(version), seen });
}

export function aPod(fields: {
  name: string;
  version: number;
  phase?: string;
  status?: Pod['status'];
  metadata?: Partial<Pod['metadata']>;
}): Pod {
  return {
    metadata: {
      name: fields.name,
      namespace: 'default',
      uid: `uid-${fields.name}`,
      resourceVersion: String(fields.version),
      creationTimestamp: after(2),
      ...fields.metadata,
    },
    spec: { nodeName: 'node-1', containers: [{ name: 'main' }] },
    status: { phase: fields.phase ?? 'Running', ...fields.status },
  };
}

/** A pod whose only container has ended. */
export function anEndedPod(fields: {
  name: string;
  version: number;
  exitCode: number;
  endedAt: number;
  metadata?: Partial<Pod['metadata']>;
}): Pod {
  const terminated = {
    exitCode: fields.exitCode,
    reason: fields.exitCode === 0 ? 'Completed' : 'Error',
    finishedAt: after(fields.endedAt),
  };
  return aPod({
    ...fields,
    phase: fields.exitCode === 0 ? 'Succeeded' : 'Failed',
    status: { containerStatuses: [{ name: 'main', state: { terminated } }] },
  });
}

export function podObserved(at: number, pod: Pod): JobEvent {
  const id = `${CLUSTER}/pods/${pod.metadata.uid}/${pod.metadata.resourceVersion}`;
  return event('pod.observed', id, at, { ...of, object: pod });
}

export function podDeleted(
  at: number,
  fields: { name: string; version: number; seen?: boolean; object?: Pod },
): JobEvent {
  const { name, version, seen = true, object } = fields;
  const uid = `uid-${name}`;
  return event('pod.deleted', `${CLUSTER}/pods/${uid}/${version}/deleted`, at, {
    ...of,
    podUid: uid,
    podName: name,
    resourceVersion: String(version),
    seen,
    ...(object && { object }),
  });
}

export function decided(
  at: number,
  number: number,
  fields: {
    id?: string;
    predecessor?: string;
    commands?: Command[];
    waiting?: Reason | null;
    nextDecisionAt?: number;
  },
): JobEvent {
  const content: DecisionContent = {
    ...of,
    number,
    predecessor: fields.predecessor ?? (number === 1 ? null : `decision-${number - 1}`),
    firstRunId: 'chain-1',
    now: START + at * 1000,
    core: '1',
    settings: DEFAULT_SETTINGS,
    folded: [],
    foldedBefore: [],
    commands: fields.commands ?? [],
    nextDecisionAt: fields.nextDecisionAt ?? null,
    waiting: fields.waiting ?? null,
  };
  return event('job.decided', fields.id ?? `decision-${number}`, at, content);
}

export function answered(at: number, decision: string, command: number, outcome: Outcome): JobEvent {
  return event('outcome.recorded', `${decision}/answer/${command}`, at, {
    ...of,
    decision,
    command,
    attempt: 1,
    outcome,
  });
}

export function createPods(...names: string[]): Command {
  return {
    kind: 'CreatePods',
    preconditions: PRECONDITIONS,
    why: { rule: 'J-5.12', message: '1 of 1 pods is missing' },
    finalizer: 'jobledger.dev/job-tracking',
    pods: names.map((name, ordinal) => ({ ordinal, name })),
  };
}

export function deletePods(message: string, ...names: string[]): Command {
  return {
    kind: 'DeletePods',
    why: { rule: 'J-5.20', message },
    untrack: false,
    pods: names.map((name) => ({ uid: `uid-${name}`, name })),
  };
}

export function podsCreated(at: number, ...names: string[]): Outcome {
  return {
    kind: 'CreatePods',
    at: START + at * 1000,
    generation: 1,
    pods: names.map((name, ordinal) => ({
      ordinal,
      name,
      result: 'created',
      uid: `uid-${name}`,
      resourceVersion: '10',
    })),
  };
}

export function clusterConnected(at: number): JobEvent {
  return withDigest<ClusterConnected>({
    id: `${CLUSTER}/connected/${at}`,
    type: 'cluster.connected',
    source: CLUSTER,
    subject: CLUSTER,
    time: after(at),
    data: { cluster: CLUSTER, uid: 'the-cluster', version: 'v1.37.0' },
  });
}

export function clusterGap(from: number, to: number): JobEvent {
  return withDigest<ClusterGap>({
    id: `${CLUSTER}/gap/${from}`,
    type: 'cluster.gap',
    source: CLUSTER,
    subject: CLUSTER,
    time: after(to),
    data: {
      cluster: CLUSTER,
      resource: 'pods',
      from: String(from),
      to: String(to),
      since: after(from),
      until: after(to),
      reason: 'history gone (410)',
    },
  });
}
