import type { Outcome } from '../../workflows/job/outcomes.ts';
import type { Command } from '../../workflows/job/commands.ts';
import { compact, jobFacts } from '../../workflows/job/observe/compact.ts';
import { decide } from '../../workflows/job/decide/decide.ts';
import { outcomeId } from '../../workflows/decision/decision-id.ts';
import { decisionRecord } from '../../workflows/job/record/decision-record.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import type { AwaitedJob, JobDecided, JobEvent } from '../../workflows/job/events.ts';
import { fold } from '../../workflows/job/evolve/evolve.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState } from '../../workflows/job/state.ts';
import type { Job, JobStatus } from '../../workflows/kubernetes/objects.ts';
import {
  CLUSTER,
  JOB_NAME,
  JOB_UID,
  jobObject,
  nextVersion,
  podObject,
  START,
  type JobFields,
  type PodFields,
} from '../support/builders.ts';

/** Builds a Job's stream second by second: the core decides, and the cluster answers. */
export interface Recording {
  events: JobEvent[];
  state: JobState;
  /** The Job is observed as it is now, with these fields changed. `epoch`: that of a restored API server. */
  job(after: number, fields?: JobFields, epoch?: number): void;
  /** With `epoch`, a restored API server lacks the Job. */
  jobGone(after: number, epoch?: number): void;
  pod(after: number, fields: PodFields): void;
  podGone(after: number, name: string): void;
  asks(after: number, action: 'suspend' | 'resume'): void;
  submitted(after: number, retryOf?: { uid: string; name: string }): void;
  /** A Job that it waits for is seen. */
  awaits(after: number, awaited: Omit<AwaitedJob, 'resourceVersion'>): void;
  gap(from: number, to: number): void;
  /** Decides by these settings from now on. */
  under(settings: Partial<Settings>): void;
  /** Decides, and records the outcomes; commands of these kinds fail. */
  decides(after: number, refused?: readonly Command['kind'][]): JobDecided;
}

const ENVELOPE = { source: CLUSTER, subject: `default/${JOB_NAME}` };
const OF_JOB = { cluster: CLUSTER, jobUid: JOB_UID };

export function aRecording(settings: Partial<Settings> = {}): Recording {
  let used = { ...DEFAULT_SETTINGS, ...settings };
  let spec: JobFields = {};
  const append = (after: number, type: JobEvent['type'], id: string, data: object): void => {
    const event = {
      ...ENVELOPE,
      id,
      type,
      time: timeAt(after),
      digest: computeDigest(data),
      data,
    } as JobEvent;
    recording.events.push(event);
    const fact = compact(event);
    if (fact !== null) recording.state = fold(recording.state, [fact]);
  };
  const jobNow = (status: JobStatus): Job => jobObject({ ...spec, status });
  const recording: Recording = {
    events: [],
    state: INITIAL_STATE,
    job(after, fields = {}, epoch) {
      spec = { ...spec, ...fields };
      const object = jobNow(fields.status ?? recording.state.job?.status ?? {});
      append(after, 'job.observed', `${CLUSTER}/job/${object.metadata.resourceVersion}`, {
        ...OF_JOB,
        object,
        ...(epoch !== undefined && { epoch }),
      });
    },
    jobGone(after, epoch) {
      const restored = epoch !== undefined && { epoch };
      const data = { ...OF_JOB, resourceVersion: nextVersion(), seen: epoch === undefined, ...restored };
      append(after, 'job.deleted', `${CLUSTER}/job/gone`, data);
    },
    pod(after, fields) {
      const object = podObject(fields);
      const { uid, resourceVersion } = object.metadata;
      append(after, 'pod.observed', `${CLUSTER}/pod/${uid}/${resourceVersion}`, { ...OF_JOB, object });
    },
    podGone(after, podName) {
      const podUid = `uid-of-${podName}`;
      const data = { ...OF_JOB, podUid, podName, resourceVersion: nextVersion(), seen: true };
      append(after, 'pod.deleted', `${CLUSTER}/pod/${podUid}/gone`, data);
    },
    asks(after, action) {
      append(after, 'request.received', `${CLUSTER}/request/${action}-${after}`, {
        ...OF_JOB,
        action,
        by: 'ann',
      });
    },
    submitted(after, retryOf) {
      const asked = {
        submission: 's1',
        by: 'ann',
        ...(retryOf !== undefined && { retryOf: retryOf.uid, retryOfName: retryOf.name }),
      };
      append(after, 'job.submitted', `${CLUSTER}/${OF_JOB.jobUid}/submitted`, { ...OF_JOB, ...asked });
    },
    awaits(after, fields) {
      const awaited = { resourceVersion: nextVersion(), ...fields };
      const id = `${CLUSTER}/awaited/${awaited.name}/${awaited.resourceVersion}`;
      append(after, 'awaited-job.observed', id, { ...OF_JOB, awaited });
    },
    gap(from, to) {
      const [since, until] = [timeAt(from), timeAt(to)];
      const data = {
        cluster: CLUSTER,
        resource: 'pods',
        from: '1',
        to: '9',
        since,
        until,
        reason: 'too old resource version',
      };
      append(to, 'cluster.gap', `${CLUSTER}/gap/${from}`, data);
    },
    under(other) {
      used = { ...used, ...other };
    },
    decides(after, refused = []) {
      const now = START + after * 1000;
      const verdict = decide(recording.state, now, used);
      const decider = { ...OF_JOB, subject: ENVELOPE.subject, firstRunId: 'chain-1' };
      const { decided } = decisionRecord(decider, recording.state, verdict, now, used);
      const decision: JobDecided = { ...decided, time: timeAt(after) };
      recording.events.push(decision);
      recording.state = fold(recording.state, [decision]);
      for (const [index, command] of decision.data.commands.entries()) {
        const outcome = { ...answerTo(command, refused, jobNow), at: now } as Outcome;
        const data = { ...OF_JOB, decision: decision.id, command: index, attempt: 1, outcome };
        append(after, 'outcome.recorded', outcomeId(decision.id, index, data), data);
      }
      return decision;
    },
  };
  return recording;
}

function timeAt(after: number): string {
  return new Date(START + after * 1000).toISOString();
}

const ERROR = { status: 403, reason: 'Forbidden', message: 'refused by a webhook' };

/** Without its instant. */
function answerTo(command: Command, refused: readonly string[], jobNow: (status: JobStatus) => Job): object {
  const { kind } = command;
  const error = refused.includes(kind) ? ERROR : null;
  const failed = { kind, result: 'failed', error };
  switch (command.kind) {
    case 'CreatePods': {
      const pods = command.pods.map(({ ordinal, name }) => ({
        ordinal,
        name,
        ...creationOutcome(name, error),
      }));
      return { kind, generation: 1, pods };
    }
    case 'DeletePods':
    case 'ReleasePods':
    case 'AdoptPods':
    case 'DisownPods': {
      const result =
        error === null ? { result: 'done', resourceVersion: nextVersion() } : { result: 'failed', error };
      const untrack = command.kind === 'DeletePods' && { untrack: command.untrack };
      return { kind, ...untrack, pods: command.pods.map((pod) => ({ ...pod, ...result })) };
    }
    case 'WriteStatus':
      return error === null ? { kind, result: 'written', job: jobFacts(jobNow(command.to)) } : failed;
    case 'SetSuspend': {
      const { request, suspend } = command;
      const of = request === undefined ? {} : { request };
      const done = { kind, result: 'done', ...of, job: jobFacts({ ...jobNow({}), spec: { suspend } }) };
      return error === null ? done : { ...failed, ...of };
    }
    case 'RefuseRequest':
      return { kind, request: command.request };
    case 'LookUpJob':
      return { kind, job: null };
    case 'LookUpPods':
      return { kind, pods: command.pods.map((pod) => ({ ...pod, pod: null })) };
    case 'DeleteJob':
      return error === null ? { kind, result: 'gone' } : failed;
    case 'LookUpOrphans':
      return error === null ? { kind, result: 'done', orphans: [], more: false } : failed;
    case 'EnsureGang': {
      const { group } = command;
      const names = { workload: 'a-workload', podGroup: 'a-pod-group' };
      const size = group?.minCount ?? (group?.own === undefined ? 3 : undefined);
      const followed = { api: 'v1beta1', generation: 1, ...(size !== undefined && { minCount: size }) };
      const gang = group === undefined ? names : { ...names, ...followed };
      return error === null ? { kind, result: 'done', gang } : failed;
    }
    case 'EmitEvents':
      return { kind };
  }
}

function creationOutcome(name: string, error: object | null): object {
  if (error !== null) return { result: 'failed', error };
  return { result: 'created', uid: `uid-of-${name}`, resourceVersion: nextVersion() };
}
