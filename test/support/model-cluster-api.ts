import type { ApiFailure } from '../../workflows/decision/api-failure.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { isTerminal } from '../../workflows/job/definitions/pod-phase.ts';
import { canonicalJson } from '../../workflows/ledger/digest.ts';
import { contains, parseIndexes } from '../../workflows/batch/completion-indexes.ts';
import { isFinished } from '../../workflows/batch/conditions.ts';
import { COMPLETION_INDEX, OWN_FINALIZER, RESERVED_FINALIZER } from '../../workflows/kubernetes/names.ts';
import type { Job, JobStatus, Pod } from '../../workflows/kubernetes/objects.ts';
import { objectionsTo } from './model-cluster-status.ts';

/** The error for a change that no run may ever make. */
export class ModelViolation extends Error {
  override readonly name = 'ModelViolation';
}

export type Verb = 'create' | 'delete' | 'patch' | 'put' | 'get';
export interface Request {
  verb: Verb;
  resource: 'jobs' | 'pods' | GangResource;
  name: string;
}
/** Objects of gang scheduling; nothing watches them. */
export type GangResource = 'workloads' | 'podgroups';
/** What can happen to a request: refused, lost on the way, or carried out with the answer lost. */
export type Trouble = ApiFailure | 'unsent' | 'unanswered' | null;

export interface Happening<T> {
  type: 'seen' | 'deleted';
  object: T;
}

/** One namespace of an API server with one Job. Objects are replaced, never changed in place. */
export interface ModelApi {
  job: Job | null;
  /** By name. */
  pods: Map<string, Pod>;
  /** By name. */
  gangs: Record<GangResource, Map<string, { metadata: Pod['metadata'] }>>;
  /** Every pod created by a request, in order of creation. */
  created: Pod[];
  /** The last version of every pod that ever existed, by uid. */
  latest: Map<string, Pod>;
  version: number;
  now: number;
  /** The spec was changed. A decision made before that may still create more pods than it now allows. */
  isSpecChanged: boolean;
  /** It was restored from a copy, so pods that are not in the copy have run unseen. */
  isRestored: boolean;
  /** The lead of the worker's clock over the deciding clock, in milliseconds. */
  workerSkew: number;
  journal: { jobs: Happening<Job>[]; pods: Happening<Pod>[] };
  trouble: (request: Request) => Trouble;
  /** The answer to a request that is not carried out; null when it is. */
  instead: (request: ApiRequest) => Reply<unknown> | null;
  /** Every status write that changed something. */
  statusWrites: JobStatus[];
}

export type Reply<T> = { ok: T } | { failed: ApiFailure };

export function createModelApi(job: Job, now: number): ModelApi {
  const api: ModelApi = {
    job: null,
    pods: new Map(),
    gangs: { workloads: new Map(), podgroups: new Map() },
    created: [],
    latest: new Map(),
    version: Number(job.metadata.resourceVersion),
    now,
    isSpecChanged: false,
    isRestored: false,
    workerSkew: 0,
    journal: { jobs: [], pods: [] },
    trouble: () => null,
    instead: () => null,
    statusWrites: [],
  };
  setJob(api, job);
  return api;
}

export function takeVersion(api: ModelApi): string {
  api.version += 1;
  return String(api.version);
}

/** Stores a Job under a new version and adds it to the watch. */
export function setJob(api: ModelApi, job: Job): Job {
  const stored = { ...job, metadata: { ...job.metadata, resourceVersion: takeVersion(api) } };
  api.job = stored;
  api.journal.jobs.push({ type: 'seen', object: stored });
  return stored;
}

export function removeJob(api: ModelApi): void {
  if (api.job === null) return;
  const object = { ...api.job, metadata: { ...api.job.metadata, resourceVersion: takeVersion(api) } };
  api.job = null;
  api.journal.jobs.push({ type: 'deleted', object });
}

/** Stores a pod under a new version, unless it is deleted and has no finalizer; adds it to the watch. */
export function setPod(api: ModelApi, pod: Pod): Pod {
  const isHeld = (pod.metadata.finalizers ?? []).length > 0;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && !isHeld)
    return excluded(api, pod);
  const object = { ...pod, metadata: { ...pod.metadata, resourceVersion: takeVersion(api) } };
  api.pods.set(pod.metadata.name, object);
  api.latest.set(pod.metadata.uid, object);
  api.journal.pods.push({ type: 'seen', object });
  return object;
}

/**
 * The change that removes the last finalizer is not stored. Its answer has the version before; the watch shows the
 * object as it was before, finalizers included, under the version of the deletion.
 */
function excluded(api: ModelApi, pod: Pod): Pod {
  const stored = api.pods.get(pod.metadata.name) ?? pod;
  api.pods.delete(pod.metadata.name);
  const object = { ...stored, metadata: { ...stored.metadata, resourceVersion: takeVersion(api) } };
  api.latest.set(pod.metadata.uid, object);
  api.journal.pods.push({ type: 'deleted', object });
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: stored.metadata.resourceVersion } };
}

export function getJob(api: ModelApi): Reply<Job> {
  return requested(api, { verb: 'get', resource: 'jobs', name: '' }, () =>
    api.job === null ? notFound() : { ok: api.job },
  );
}

export function getPod(api: ModelApi, name: string): Reply<Pod> {
  return requested(api, { verb: 'get', resource: 'pods', name }, () => {
    const pod = api.pods.get(name);
    return pod === undefined ? notFound() : { ok: pod };
  });
}

export function listPods(api: ModelApi): Reply<Pod[]> {
  return requested(api, { verb: 'get', resource: 'pods', name: '' }, () => ({ ok: [...api.pods.values()] }));
}

export function createPod(api: ModelApi, pod: Pod): Reply<Pod> {
  const { name } = pod.metadata;
  return requested(api, { verb: 'create', resource: 'pods', name }, () => {
    if (api.pods.has(name)) return failed(409, 'AlreadyExists', `pods "${name}" already exists`);
    const created = setPod(api, pod);
    api.created.push(created);
    checkCreation(api, created);
    return { ok: created };
  });
}

export function listGangObjects(api: ModelApi, resource: GangResource): Reply<object[]> {
  return requested(api, { verb: 'get', resource, name: '' }, () => ({
    ok: [...api.gangs[resource].values()],
  }));
}

export function createGangObject(
  api: ModelApi,
  resource: GangResource,
  object: { metadata: Pod['metadata'] },
): Reply<object> {
  const { name } = object.metadata;
  return requested(api, { verb: 'create', resource, name }, () => {
    if (api.gangs[resource].has(name)) return failed(409, 'AlreadyExists', `${resource} "${name}" exists`);
    const metadata = { ...object.metadata, uid: `uid-of-${name}`, creationTimestamp: timeAt(api.now) };
    api.gangs[resource].set(name, { ...object, metadata });
    return { ok: { ...object, metadata } };
  });
}

export function getGangObject(api: ModelApi, resource: GangResource, name: string): Reply<object> {
  return requested(api, { verb: 'get', resource, name }, () => {
    const found = api.gangs[resource].get(name);
    return found === undefined ? notFound() : { ok: structuredClone(found) };
  });
}

/** A JSON patch that replaces values. */
export function patchGangObject(
  api: ModelApi,
  resource: GangResource,
  name: string,
  operations: readonly { op: string; path: string; value?: unknown }[],
): Reply<object> {
  return requested(api, { verb: 'patch', resource, name }, () => {
    const found = api.gangs[resource].get(name);
    if (found === undefined) return notFound();
    for (const { op, path, value } of operations) {
      const names = path.slice(1).split('/');
      const last = names.pop() ?? '';
      const parent = names.reduce(
        (at, each) => at[each] as Record<string, unknown>,
        found as unknown as Record<string, unknown>,
      );
      if (op === 'replace') parent[last] = value;
      else if (parent[last] !== value) return failed(422, 'Invalid', `testing value ${path} failed`);
    }
    return { ok: structuredClone(found) };
  });
}

/** One more live pod must be within what the Job may have (J-5.11). */
function checkCreation(api: ModelApi, pod: Pod): void {
  if (api.job === null || isFinished(api.job.status ?? {}))
    throw new ModelViolation(`pod ${pod.metadata.name} created for a Job that has ended`);
  if (api.isSpecChanged || api.isRestored) return;
  if (api.created.filter(({ metadata }) => metadata.name === pod.metadata.name).length > 1)
    throw new ModelViolation(`the name ${pod.metadata.name} was used before`);
  const { completions } = api.job.spec;
  // A decision may be older than the spec.
  const parallelism = Math.max(...api.journal.jobs.map(({ object }) => object.spec.parallelism ?? 1));
  const jobUid = api.job.metadata.uid;
  const isOwn = ({ metadata }: Pod): boolean =>
    (metadata.ownerReferences ?? []).some(({ uid }) => uid === jobUid);
  const live = [...api.pods.values()].filter((each) => isActive(each) && isOwn(each)).length;
  if (live > parallelism) throw new ModelViolation(`${live} active pods, parallelism is ${parallelism}`);
  if (api.job.spec.completionMode === 'Indexed') return checkIndex(api, pod);
  const succeeded = api.created.filter(({ metadata }) => succeededUndisturbed(api, metadata.uid)).length;
  if (completions !== undefined && live + succeeded > completions)
    throw new ModelViolation(`${live} active and ${succeeded} succeeded pods for ${completions} completions`);
}

/** At most one active pod per index, and none of an index that completed or failed (J-5.16). */
function checkIndex({ pods, job }: ModelApi, { metadata }: Pod): void {
  const { name, annotations } = metadata;
  const index = annotations?.[COMPLETION_INDEX];
  const twins = [...pods.values()].filter(
    (each) => isActive(each) && each.metadata.annotations?.[COMPLETION_INDEX] === index,
  );
  if (index === undefined || twins.length !== 1)
    throw new ModelViolation(`${twins.length} active pods of index ${index}, the last ${name}`);
  const { completedIndexes = '', failedIndexes = '' } = job?.status ?? {};
  const done = [completedIndexes, failedIndexes].some((text) =>
    contains(parseIndexes(text, job?.spec.completions ?? 0), Number(index)),
  );
  if (done) throw new ModelViolation(`pod ${name} created for an index that is done with`);
}

function succeededUndisturbed(api: ModelApi, uid: string): boolean {
  const last = api.latest.get(uid);
  return last?.status?.phase === 'Succeeded' && last.metadata.deletionTimestamp === undefined;
}

/** True when the pod is not terminal and not being deleted (J-0.4). */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && !isTerminal(status?.phase ?? 'Pending');
}

export function isTracked({ metadata }: Pod): boolean {
  return (metadata.finalizers ?? []).some((name) => name === OWN_FINALIZER || name === RESERVED_FINALIZER);
}

const GRACE_SECONDS = 30;

export function deletePod(api: ModelApi, name: string, uid: string): Reply<Pod> {
  return requested(api, { verb: 'delete', resource: 'pods', name }, () => {
    const pod = api.pods.get(name);
    if (pod === undefined) return notFound();
    if (pod.metadata.uid !== uid) return failed(409, 'Conflict', 'the uid in the precondition differs');
    if (pod.metadata.deletionTimestamp !== undefined) return { ok: pod };
    // A pod without a node needs no grace period (J-15.6).
    const needsGrace = (pod.spec.nodeName ?? '') !== '' && !isTerminal(pod.status?.phase ?? 'Pending');
    const grace = needsGrace ? GRACE_SECONDS : 0;
    const metadata = {
      ...pod.metadata,
      deletionTimestamp: timeAt(api.now + grace * 1000),
      deletionGracePeriodSeconds: grace,
    };
    return { ok: setPod(api, { ...pod, metadata }) };
  });
}

/** The pod, where given only with this uid and in this version; `change` returns null when it does not apply. */
export function patchPod(
  api: ModelApi,
  name: string,
  { uid, resourceVersion }: { uid?: string; resourceVersion?: string | undefined },
  change: (metadata: Pod['metadata']) => Pod['metadata'] | null,
): Reply<Pod> {
  return requested(api, { verb: 'patch', resource: 'pods', name }, () => {
    const pod = api.pods.get(name);
    if (pod === undefined) return notFound();
    if (uid !== undefined && pod.metadata.uid !== uid)
      return failed(409, 'Conflict', 'the uid in the precondition differs');
    if (resourceVersion !== undefined && pod.metadata.resourceVersion !== resourceVersion)
      return failed(409, 'Conflict', 'the object has been modified');
    const metadata = change(pod.metadata);
    if (metadata === null) return failed(422, 'Invalid', 'testing value failed');
    const controllers = (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true);
    if (controllers.length > 1) return failed(422, 'Invalid', 'only one reference can have controller: true');
    if (canonicalJson(metadata) === canonicalJson(pod.metadata)) return { ok: pod };
    return { ok: setPod(api, { ...pod, metadata }) };
  });
}

/** Nothing holds the Job: it is deleted at once, and a Status is returned. */
export function deleteJob(api: ModelApi): Reply<{ kind: 'Status'; status: 'Success' }> {
  return requested(api, { verb: 'delete', resource: 'jobs', name: '' }, () => {
    if (api.job === null) return notFound();
    removeJob(api);
    return { ok: { kind: 'Status', status: 'Success' } };
  });
}

export function patchJobSpec(api: ModelApi, spec: Partial<Job['spec']>): Reply<Job> {
  return requested(api, { verb: 'patch', resource: 'jobs', name: '' }, () => {
    if (api.job === null) return notFound();
    const next = { ...api.job.spec, ...spec };
    if (canonicalJson(next) === canonicalJson(api.job.spec)) return { ok: api.job };
    api.isSpecChanged = true;
    const generation = (api.job.metadata.generation ?? 1) + 1;
    return { ok: setJob(api, { ...api.job, metadata: { ...api.job.metadata, generation }, spec: next }) };
  });
}

/** PUT of the status; a status that the API server would refuse is a violation. */
export function putStatus(api: ModelApi, resourceVersion: string, status: JobStatus): Reply<Job> {
  return requested(api, { verb: 'put', resource: 'jobs', name: '' }, () => {
    if (api.job === null) return notFound();
    if (api.job.metadata.resourceVersion !== resourceVersion)
      return failed(409, 'Conflict', 'the object has been modified');
    const objections = objectionsTo(api.job, status);
    if (objections.length > 0)
      throw new ModelViolation(
        `${objections.join('; ')}: ${canonicalJson(api.job.status)} → ${canonicalJson(status)}`,
      );
    if (canonicalJson(status) === canonicalJson(api.job.status)) return { ok: api.job };
    api.statusWrites.push(status);
    return { ok: setJob(api, { ...api.job, status }) };
  });
}

/** Merge patch of the status at a known version. */
export function patchStatus(
  api: ModelApi,
  { uid, resourceVersion }: Pick<Job['metadata'], 'uid' | 'resourceVersion'>,
  patch: Partial<Record<keyof JobStatus, unknown>>,
): Reply<Job> {
  if (api.job !== null && api.job.metadata.uid !== uid)
    return failed(409, 'Conflict', 'the object has been created again');
  return putStatus(api, resourceVersion, mergedStatus(api.job?.status ?? {}, patch) as JobStatus);
}

function mergedStatus(value: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged = new Map<string, unknown>(Object.entries(value ?? {}));
  for (const [name, change] of Object.entries(patch))
    if (change === null) merged.delete(name);
    else merged.set(name, mergedStatus(merged.get(name), change));
  return Object.fromEntries(merged);
}

export function timeAt(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

function requested<T>(api: ModelApi, request: Request, act: () => Reply<T>): Reply<T> {
  const trouble = api.trouble(request);
  if (trouble === 'unsent') throw new UnavailableError('connection refused');
  if (trouble !== null && trouble !== 'unanswered') return { failed: trouble };
  const reply = act();
  if (trouble === 'unanswered') throw new UnavailableError('connection reset');
  return reply;
}

function notFound(): { failed: ApiFailure } {
  return failed(404, 'NotFound', 'not found');
}

function failed(status: number, reason: string, message: string): { failed: ApiFailure } {
  return { failed: { status, reason, message } };
}
