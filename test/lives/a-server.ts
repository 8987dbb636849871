import { KubernetesApiError } from '../../services/adapters/errors.ts';
import { objectIn } from '../../services/adapters/kubernetes/answers.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { objectionsTo } from '../support/model-cluster-status.ts';

/** A Job or a pod. */
export type Stored = Job | Pod;

/** A change that a watch reports; `gone`: the object was removed, at `resourceVersion`. */
export type Change =
  | { kind: 'Job' | 'Pod'; type: 'changed'; object: Stored }
  | { kind: 'Job' | 'Pod'; type: 'gone'; object: Stored; resourceVersion: string };

/** An API server with the Jobs and pods of one namespace, each by its name. */
export interface Server {
  readonly cluster: string;
  readonly client: KubernetesClient;
  readonly jobs: Map<string, Job>;
  readonly pods: Map<string, Pod>;
  /** The messages of Events, with their reasons. */
  readonly events: string[];
  /** A request arrives once this has ended. */
  turn: (request: ApiRequest) => Promise<void>;
  /** The callbacks before and after a request is carried out; an error that they throw is the answer. */
  before: (request: ApiRequest) => void;
  after: (request: ApiRequest) => void;
  /** The callback for each change, in the order of versions. */
  watch: (change: Change) => void;
  /** Carries out a request whose sender has given up: it arrives late. */
  arrives(request: ApiRequest): void;
  /** Gives an object its next version, and removes it when its deletion waits for nothing any more. */
  touch(object: Stored): void;
  remove(object: Stored): void;
  /** The present version. */
  version(): number;
  /** Another client writes another object. */
  grow(): void;
  copy(): Copy;
  /** Puts an earlier copy back: versions start over, and no version comes twice. */
  restore(copy: Copy): void;
}

/**
 * Between two versions, and more than the restores of a life: the versions after each restore have a remainder of their own. An API server counts
 * the changes of all of its objects, so that an object hardly ever gets a version again that it had before a restore.
 */
const STEP = 1000;

/** All objects at one version. */
export interface Copy {
  version: number;
  jobs: Job[];
  pods: Pod[];
}

export function aServer(cluster: string, now: () => number): Server {
  let version = 100 * STEP;
  let restores = 0;
  let uids = 0;
  const jobs = new Map<string, Job>();
  const pods = new Map<string, Pod>();
  const objectKind = (object: Stored): 'Job' | 'Pod' => (object.kind === 'Pod' ? 'Pod' : 'Job');
  const getStore = (kind: 'Job' | 'Pod'): Map<string, Stored> => (kind === 'Pod' ? pods : jobs);
  const server: Server = {
    cluster,
    client: {
      cluster,
      stream: () => Promise.reject(new Error('nothing is streamed')),
      request: <T>(request: ApiRequest) =>
        server.turn(request).then(() => {
          server.before(request);
          const answer = structuredClone(answerTo(request));
          server.after(request);
          return answer as T;
        }),
    },
    jobs,
    pods,
    events: [],
    turn: () => Promise.resolve(),
    before: () => undefined,
    after: () => undefined,
    watch: () => undefined,
    version: () => version,
    grow: () => void (version += STEP),
    arrives(request) {
      try {
        answerTo(request);
      } catch (error) {
        if (!(error instanceof KubernetesApiError)) throw error;
      }
    },
    touch(object) {
      version += STEP;
      object.metadata.resourceVersion = String(version);
      if (isRemovable(object)) server.remove(object);
      else server.watch({ kind: objectKind(object), type: 'changed', object: structuredClone(object) });
    },
    remove(object) {
      version += STEP;
      getStore(objectKind(object)).delete(object.metadata.name);
      server.watch({ kind: objectKind(object), type: 'gone', object, resourceVersion: String(version) });
    },
    copy: () => structuredClone({ version, jobs: [...jobs.values()], pods: [...pods.values()] }),
    restore(copy) {
      const { version: then, jobs: oldJobs, pods: oldPods } = structuredClone(copy);
      restores += 1;
      version = then - (then % STEP) + restores;
      jobs.clear();
      pods.clear();
      for (const job of oldJobs) jobs.set(job.metadata.name, job);
      for (const pod of oldPods) pods.set(pod.metadata.name, pod);
    },
  };
  const answerTo = ({ method, path, body, onServerTime }: ApiRequest): unknown => {
    const [route = '', query = ''] = path.split('?');
    const [, resource = '', name, part] =
      /\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(route) ?? [];
    if (resource === 'events') {
      const { reason, message } = body as { reason: string; message: string };
      return void server.events.push(`${reason}: ${message}`);
    }
    const store = getStore(resource === 'pods' ? 'Pod' : 'Job');
    if (method === 'POST') return created(store, body as Stored, path);
    if (name === undefined) return list(store, query);
    const object = store.get(name);
    if (object === undefined) throw refusal(404, 'NotFound', `${resource} "${name}" not found`, path);
    onServerTime?.(now());
    if (method === 'GET') return object;
    const asked = body as {
      metadata?: { uid?: string; resourceVersion?: string };
      preconditions?: { uid?: string; resourceVersion?: string };
    };
    const { uid, resourceVersion } = { ...asked.metadata, ...asked.preconditions };
    if (uid !== undefined && uid !== object.metadata.uid)
      throw refusal(409, 'Conflict', 'the UID differs', path);
    if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
      throw refusal(409, 'Conflict', 'the object has been modified', path);
    if (method === 'DELETE') return deleted(object, body as { propagationPolicy?: string });
    const before = JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: '' } });
    const spec = JSON.stringify(object.spec);
    patch(object, body, { part, isJsonPatch: Array.isArray(body), isPut: method === 'PUT', path });
    if (JSON.stringify(object.spec) !== spec)
      object.metadata.generation = (object.metadata.generation ?? 1) + 1;
    const after = JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: '' } });
    if (after !== before) server.touch(object);
    return object;
  };
  const created = (store: Map<string, Stored>, body: Stored, path: string): Stored => {
    const { name } = body.metadata;
    if (store.has(name)) throw refusal(409, 'AlreadyExists', `"${name}" already exists`, `${path}/${name}`);
    const object = structuredClone(body);
    uids += 1;
    object.metadata = {
      ...object.metadata,
      uid: `${cluster}-${uids}`,
      namespace: 'team',
      generation: 1,
      creationTimestamp: new Date(now()).toISOString(),
    };
    object.status = object.kind === 'Pod' ? { phase: 'Pending' } : {};
    store.set(name, object);
    server.touch(object);
    return object;
  };
  const list = (store: Map<string, Stored>, query: string): unknown => {
    const [key = '', value] = (new URLSearchParams(query).get('labelSelector') ?? '').split('=');
    const items = [...store.values()].filter(
      ({ metadata }) => key === '' || metadata.labels?.[key] === value,
    );
    return { kind: 'List', metadata: { resourceVersion: String(version) }, items };
  };
  /** A pod that has ended needs no time to end. */
  const deleted = (object: Stored, { propagationPolicy }: { propagationPolicy?: string }): Stored => {
    if (propagationPolicy === 'Orphan') for (const other of jobs.values()) disown(other, object.metadata.uid);
    if (object.metadata.deletionTimestamp !== undefined) return object;
    object.metadata.deletionTimestamp = new Date(now()).toISOString();
    const hasEnded =
      object.kind !== 'Pod' || ['Succeeded', 'Failed'].includes((object as Pod).status?.phase ?? '');
    object.metadata.deletionGracePeriodSeconds = hasEnded ? 0 : 30;
    server.touch(object);
    return object;
  };
  return server;
}

/** An answer of the API server that is not a success. */
export function refusal(status: number, reason: string, message: string, path: string): KubernetesApiError {
  const object = objectIn(path.split('?')[0] ?? '');
  const details =
    object === null ? undefined : { group: object.group, kind: object.resource, name: object.name };
  return new KubernetesApiError({ status, reason, message, causes: [], object, details });
}

function isRemovable({ metadata }: Stored): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function disown({ metadata }: Job, uid: string): void {
  metadata.ownerReferences &&= metadata.ownerReferences.filter((owner) => owner.uid !== uid);
}

function patch(
  object: Stored,
  body: unknown,
  {
    part,
    isJsonPatch,
    isPut,
    path,
  }: { part: string | undefined; isJsonPatch: boolean; isPut: boolean; path: string },
): void {
  if (isJsonPatch) return release(object, body as { op: string; path: string; value?: unknown }[], path);
  const { metadata, spec, status } = body as Partial<Job>;
  if (isPut || part === 'status') {
    const next = isPut ? {} : structuredClone(object.status ?? {});
    merge(next, structuredClone(status ?? {}));
    const objections = object.kind === 'Pod' ? [] : objectionsTo(object, next);
    if (objections.length > 0) throw refusal(422, 'Invalid', objections.join('; '), path);
    return void (object.status = next as never);
  }
  const { uid: _uid, resourceVersion: _version, ...others } = (metadata ?? {}) as Record<string, unknown>;
  const { '$deleteFromPrimitiveList/finalizers': finalizers, ...merged } = others as Record<string, string[]>;
  if (finalizers !== undefined)
    object.metadata.finalizers = (object.metadata.finalizers ?? []).filter(
      (each) => !finalizers.includes(each),
    );
  merge(object.metadata, merged);
  if (spec !== undefined) merge(object.spec, spec);
}

/** The one JSON patch that is sent: it removes the first finalizer if the pod is as expected. */
function release(
  { metadata }: Stored,
  operations: readonly { op: string; path: string; value?: unknown }[],
  path: string,
): void {
  const live: Record<string, unknown> = {
    '/metadata/uid': metadata.uid,
    '/metadata/ownerReferences/0/uid': metadata.ownerReferences?.[0]?.uid,
    '/metadata/ownerReferences/0/kind': metadata.ownerReferences?.[0]?.kind,
    '/metadata/ownerReferences/0/name': metadata.ownerReferences?.[0]?.name,
    '/metadata/ownerReferences/0/controller': metadata.ownerReferences?.[0]?.controller,
    '/metadata/finalizers/0': metadata.finalizers?.[0],
  };
  for (const { op, path: field, value } of operations)
    if (op === 'test' && live[field] !== value) throw refusal(422, 'Invalid', `${field} differs`, path);
  metadata.finalizers = metadata.finalizers?.slice(1) ?? [];
}

/** A JSON merge patch (RFC 7386). */
function merge(target: object, change: object): void {
  const fields = target as Record<string, unknown>;
  for (const [name, value] of Object.entries(change)) {
    const old = fields[name];
    if (value === null) delete fields[name];
    else if (isObject(value)) {
      fields[name] = isObject(old) ? old : {};
      merge(fields[name] as object, value);
    } else if (value !== undefined) fields[name] = structuredClone(value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
