import { objectIn } from '../../services/adapters/kubernetes/answers.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';

/** An API server for the Jobs and pods of one namespace: enough for the worker's requests about placed Jobs and their members. */
export interface SmallApi {
  readonly cluster: string;
  readonly client: KubernetesClient;
  /** By name. */
  readonly jobs: Map<string, Job>;
  readonly pods: Pod[];
  /** Type, reason and message of each Event. */
  readonly events: { type: string; reason: string; message: string }[];
  /** Called before a request is carried out; it may throw instead. */
  before: (request: ApiRequest) => void;
  /** Called after a request was carried out; when it throws, the answer is lost. */
  after: (request: ApiRequest) => void;
  /** What admission makes of the spec of each Job that is written. */
  admit: (job: Job) => void;
  now: () => number;
  /** Gives the Job a new version. */
  bump(job: Job): void;
}

export function aSmallApi(cluster: string, now: () => number): SmallApi {
  let version = 100;
  let uids = 0;
  const api: SmallApi = {
    cluster,
    client: {
      cluster,
      stream: () => Promise.reject(new Error('nothing is watched')),
      request: <T>(request: ApiRequest) =>
        Promise.resolve().then(() => {
          api.before(request);
          const answer = answerTo(request);
          api.after(request);
          return structuredClone(answer) as T;
        }),
    },
    jobs: new Map(),
    pods: [],
    events: [],
    before: () => {},
    after: () => {},
    admit: () => {},
    now,
    bump({ metadata }) {
      version += 1;
      metadata.resourceVersion = String(version);
    },
  };
  const answerTo = (request: ApiRequest): unknown => {
    const { method, path, body } = request;
    const [route = '', query = ''] = path.split('?');
    const [, resource = '', name, subresource] =
      /\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(route) ?? [];
    if (resource === 'events') return void api.events.push(body as SmallApi['events'][number]);
    if (resource === 'pods') return podList(query);
    if (method === 'POST') return created(body as Job, path);
    if (name === undefined)
      return { metadata: { resourceVersion: String(version) }, items: [...api.jobs.values()] };
    const job = api.jobs.get(name);
    if (job === undefined) throw refusalError(404, 'NotFound', `jobs.batch "${name}" not found`, path);
    if (method === 'GET') {
      request.onServerTime?.(api.now());
      return job;
    }
    const precondition = (body as { preconditions?: { uid?: string } }).preconditions?.uid;
    const asked = (body as Job).metadata as Partial<Job['metadata']> | undefined;
    if ((precondition ?? asked?.uid ?? job.metadata.uid) !== job.metadata.uid)
      throw refusalError(409, 'Conflict', 'the UID differs', path);
    if (asked?.resourceVersion !== undefined && asked.resourceVersion !== job.metadata.resourceVersion)
      throw refusalError(409, 'Conflict', 'the object has been modified', path);
    if (method === 'DELETE') return void api.jobs.delete(job.metadata.name);
    return changed(job, body as Job, subresource === 'status');
  };
  const podList = (query: string): unknown => {
    const selector = new URLSearchParams(query).get('labelSelector');
    const [key = '', value] = selector?.split('=') ?? [];
    const items = api.pods.filter(({ metadata }) => selector === null || metadata.labels?.[key] === value);
    return { metadata: { resourceVersion: String(version) }, items };
  };
  const created = (body: Job, path: string): Job => {
    const job = structuredClone(body);
    const { name } = job.metadata;
    if (api.jobs.has(name))
      throw refusalError(409, 'AlreadyExists', `jobs.batch "${name}" already exists`, path);
    uids += 1;
    job.metadata.uid = `${cluster}-${uids}`;
    job.metadata.creationTimestamp = new Date(now()).toISOString();
    job.metadata.generation = 1;
    job.status = {};
    api.admit(job);
    api.bump(job);
    api.jobs.set(name, job);
    return job;
  };
  const changed = (job: Job, { metadata, spec, status }: Partial<Job>, isStatus: boolean): Job => {
    const before = [toJson(job), toJson(job.spec)];
    if (isStatus) merge((job.status ??= {}), status ?? {});
    else {
      const { uid: _uid, resourceVersion: _version, ...rest } = metadata ?? ({} as Partial<Job['metadata']>);
      merge(job.metadata, rest);
      merge(job.spec, spec ?? {});
      api.admit(job);
    }
    if (toJson(job.spec) !== before[1]) job.metadata.generation = (job.metadata.generation ?? 1) + 1;
    if (toJson(job) !== before[0]) api.bump(job);
    return job;
  };
  return api;
}

/** A `Status` as the API server sends it. */
export function refusalError(
  status: number,
  reason: string,
  message: string,
  path: string,
): KubernetesApiError {
  const object = objectIn(path);
  const details =
    object === null ? undefined : { group: object.group, kind: object.resource, name: object.name };
  return new KubernetesApiError({ status, reason, message, causes: [], object, details });
}

/** A JSON merge patch. */
function merge(target: object, patch: object): void {
  const into = target as Record<string, unknown>;
  for (const [key, value] of Object.entries(patch) as [string, unknown][]) {
    const own = into[key];
    if (value === null) delete into[key];
    else if (isObject(value) && isObject(own)) merge(own, value);
    else into[key] = structuredClone(value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON, also of a value with long integers. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
}
