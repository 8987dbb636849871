import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import type { StatusDetails } from '../../services/adapters/kubernetes/answers.ts';
import { objectIn } from '../../services/adapters/kubernetes/answers.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { type JobDependencies } from '../../services/worker/activities/carry-out-kinds.ts';
import { createClaimedJobs } from '../../services/worker/activities/job/claimed-jobs.ts';
import type { CarryOutInput } from '../../workflows/activities.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { OWN_FINALIZER } from '../../workflows/kubernetes/names.ts';
import * as core from '../../workflows/job/core.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { step } from '../../workflows/job/step.ts';
import {
  aJob,
  CLUSTER,
  DECIDER,
  JOB_NAME,
  JOB_UID,
  jobObject,
  podObject,
  START,
} from '../support/builders.ts';

/** An API server with one Job and its pods, which records what it is asked. */
export interface PlayedServer {
  client: KubernetesClient;
  job: Job | null;
  /** By name. */
  pods: Map<string, Pod>;
  /** `METHOD resource/name` of each request, except Events. */
  asked: string[];
  /** Type, reason and message of each Event. */
  events: { type: string; reason: string; message: string }[];
  /** The answer instead; null: the request is carried out. */
  refuse: (request: ApiRequest) => Error | null;
}

/** A `Status` as the API server sends it. */
export function statusError(
  status: number,
  reason: string,
  message = reason,
  more: { details?: StatusDetails; retryAfter?: number } = {},
): KubernetesApiError {
  return new KubernetesApiError({ status, reason, message, causes: [], ...more });
}

export function aPlayedServer(job: Job = jobObject({ completions: 3, parallelism: 3 })): PlayedServer {
  let version = 5000;
  const played: PlayedServer = {
    client: {
      cluster: CLUSTER,
      stream: () => Promise.reject(new Error('nothing is watched')),
      request: <T>(request: ApiRequest) => Promise.resolve().then(() => answerTo(request) as T),
    },
    job,
    pods: new Map(),
    asked: [],
    events: [],
    refuse: () => null,
  };
  const missing = (kind: string, name: string): Error =>
    statusError(404, 'NotFound', `${kind} "${name}" not found`);
  const answerTo = (request: ApiRequest): unknown => {
    const { method, path, body } = request;
    const [resource = '', name = '', subresource] = path.split('/namespaces/default/')[1]?.split('/') ?? [];
    if (resource !== 'events')
      played.asked.push(`${method} ${[resource, name, subresource].filter(Boolean).join('/')}`);
    const refusal = played.refuse(request);
    if (refusal !== null) throw refusal;
    if (resource === 'events') return void played.events.push(body as PlayedServer['events'][number]);
    version += 1;
    if (resource === 'pods') return ofPods(method, objectIn(path)?.name ?? '', body as Pod);
    if (played.job === null) throw missing('jobs.batch', name);
    const { metadata, spec } = played.job;
    const known = (body as { metadata?: { resourceVersion?: string } } | undefined)?.metadata
      ?.resourceVersion;
    if (method === 'PATCH' && known !== undefined && known !== metadata.resourceVersion)
      throw statusError(409, 'Conflict', 'the object has been modified');
    if (method === 'PATCH')
      played.job = {
        ...played.job,
        ...(body as Pick<Job, 'status'>),
        metadata: { ...metadata, resourceVersion: String(version) },
        spec: { ...spec, ...(body as Pick<Job, 'spec'>).spec },
      };
    return played.job;
  };
  const ofPods = (method: string, name: string, body: Pod): unknown => {
    if (method === 'POST') {
      const given = body.metadata;
      if (played.pods.has(given.name)) throw statusError(409, 'AlreadyExists', `pods "${given.name}" exists`);
      const pod = podObject({ name: given.name, version: String(version) });
      played.pods.set(given.name, pod);
      return pod;
    }
    const pod = played.pods.get(name);
    if (pod === undefined) throw missing('pods', name);
    if (method === 'DELETE') played.pods.delete(name);
    if (method === 'PATCH' && Array.isArray(body)) {
      const { finalizers: [first] = [], ...metadata } = pod.metadata;
      if (first !== OWN_FINALIZER)
        throw statusError(422, 'Invalid', 'testing value /metadata/finalizers/0 failed');
      played.pods.set(name, { ...pod, metadata });
    }
    return played.pods.get(name) ?? pod;
  };
  return played;
}

/** Commands of a decision about the Job, to be carried out. */
export function anInput(commands: readonly Command[]): CarryOutInput {
  const { decision } = step(core, {
    decider: DECIDER,
    state: core.fold(core.INITIAL_STATE, [aJob()]),
    now: START,
    settings: DEFAULT_SETTINGS,
  });
  if (decision === null) throw new Error('nothing was decided');
  const job = { cluster: CLUSTER, uid: JOB_UID, namespace: 'default', name: JOB_NAME, kind: 'Job' as const };
  const decided = { ...decision.decided, data: { ...decision.decided.data, commands: [...commands] } };
  return { ...decision, decided, job, received: [] };
}

export function dependenciesOn(client: KubernetesClient): JobDependencies {
  return {
    client,
    appender: { append: () => Promise.resolve() },
    log: silentLog(),
    count: () => undefined,
    reportOlder: () => undefined,
    claimed: createClaimedJobs('managed'),
    now: () => START,
  };
}
