import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { matchesSelector } from '../../workflows/job/definitions/selector.ts';
import type { Job, JobStatus, LabelSelector, Pod } from '../../workflows/kubernetes/objects.ts';
import { CLUSTER } from './builders.ts';
import {
  createGangObject,
  getGangObject,
  patchGangObject,
  type GangResource,
  createPod,
  deleteJob,
  deletePod,
  getJob,
  getPod,
  listGangObjects,
  listPods,
  patchJobSpec,
  patchPod,
  patchStatus,
  putStatus,
  timeAt,
  type ModelApi,
  type Reply,
} from './model-cluster-api.ts';

/** Gives the activities the client of an API server, over the model. */
export function createModelClient(api: ModelApi): KubernetesClient {
  return {
    cluster: CLUSTER,
    stream: () => Promise.reject(new Error('the model has no watch')),
    // Requests take effect in the order in which they are sent, before the first of them is answered.
    // oxlint-disable-next-line require-await
    request: async <T>(request: ApiRequest) => {
      const reply = api.instead(request) ?? replyTo(api, request);
      if ('failed' in reply) throw new KubernetesApiError({ ...reply.failed, causes: [] });
      return reply.ok as T;
    },
  };
}

function replyTo(api: ModelApi, request: ApiRequest): Reply<unknown> {
  const { name, query } = parsePath(request);
  const { body } = request;
  switch (requestKind(request)) {
    case 'GET jobs':
      return getJob(api);
    case 'PUT jobs/status': {
      const { metadata, status = {} } = body as Job;
      return putStatus(api, metadata.resourceVersion, status);
    }
    case 'PATCH jobs/status': {
      const { metadata, status } = body as { metadata: Job['metadata']; status: Partial<JobStatus> };
      return patchStatus(api, metadata, status);
    }
    case 'PATCH jobs':
      return patchJobSpec(api, (body as Pick<Job, 'spec'>).spec);
    case 'DELETE jobs':
      return deleteJob(api);
    case 'GET pods':
      return name === '' ? listed(api, query) : getPod(api, name);
    case 'POST pods':
      return createPod(api, storedPod(api, body as Pod));
    case 'PATCH pods': {
      if (Array.isArray(body))
        return patchPod(api, name, {}, (metadata) => patchedBy(metadata, body as PatchOperation[]));
      const { uid, resourceVersion, ...change } = (body as { metadata: PodPatch }).metadata;
      return patchPod(api, name, { uid, resourceVersion }, (metadata) => merged(metadata, change));
    }
    case 'DELETE pods':
      return deletePod(api, name, (body as { preconditions: { uid: string } }).preconditions.uid);
    case 'GET workloads':
    case 'GET podgroups':
      return name === ''
        ? listReply(listGangObjects(api, groupIn(request)))
        : getGangObject(api, groupIn(request), name);
    case 'PATCH workloads':
    case 'PATCH podgroups':
      return patchGangObject(api, groupIn(request), name, body as PatchOperation[]);
    case 'POST workloads':
      return createGangObject(api, 'workloads', body as Pod);
    case 'POST podgroups':
      return createGangObject(api, 'podgroups', body as Pod);
    // Events are best effort and change nothing, so no faults are tried on them.
    case 'POST events':
      return { ok: body };
  }
  throw new Error(`the model of the API server does not know ${request.method} ${request.path}`);
}

function groupIn(request: ApiRequest): GangResource {
  return parsePath(request).resource === 'workloads' ? 'workloads' : 'podgroups';
}

/** The kind of a request: `PATCH pods`, `PUT jobs/status`. */
export function requestKind(request: ApiRequest): string {
  const { resource, subresource } = parsePath(request);
  return `${request.method} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
}

function parsePath({ path }: ApiRequest): Record<'resource' | 'name' | 'subresource' | 'query', string> {
  const [place = '', query = ''] = path.split('?');
  const [resource = '', name = '', subresource = ''] =
    place.split('/namespaces/default/')[1]?.split('/') ?? [];
  return { resource, name, subresource, query };
}

/** All objects on one page. */
function listed(
  api: ModelApi,
  query: string,
): Reply<{ metadata: { resourceVersion: string }; items: Pod[] }> {
  const selector = parseSelectorText(new URLSearchParams(query).get('labelSelector') ?? '');
  const reply = listPods(api);
  if ('failed' in reply) return reply;
  const items = reply.ok.filter(({ metadata }) => matchesSelector(selector, metadata.labels ?? {}));
  return { ok: { metadata: { resourceVersion: String(api.version) }, items } };
}

function listReply(
  reply: Reply<object[]>,
): Reply<{ metadata: { resourceVersion: string }; items: object[] }> {
  return 'failed' in reply ? reply : { ok: { metadata: { resourceVersion: '1' }, items: reply.ok } };
}

function parseSelectorText(text: string): LabelSelector {
  const terms = text.split(',').filter((term) => term !== '');
  return {
    matchLabels: Object.fromEntries(
      terms.map((term) => {
        const [label = '', value, ...more] = term.split('=');
        if (value === undefined || more.length > 0 || /[ !()]/.test(term))
          throw new Error(`the model of the API server does not know the selector ${text}`);
        return [label, value];
      }),
    ),
  };
}

/** With the fields that the API server adds. */
function storedPod(api: ModelApi, { metadata, ...pod }: Pod): Pod {
  const added = {
    uid: `uid-${api.created.length}`,
    resourceVersion: '',
    creationTimestamp: timeAt(api.now),
  };
  return { ...pod, metadata: { ...metadata, ...added }, status: { phase: 'Pending' } };
}

interface PatchOperation {
  op: string;
  path: string;
  value?: unknown;
}

/** A JSON patch of tests, and removals of finalizers; null when a test fails. */
function patchedBy(metadata: Pod['metadata'], operations: readonly PatchOperation[]): Pod['metadata'] | null {
  const patched = structuredClone(metadata);
  for (const { op, path, value } of operations) {
    const [, ...keys] = path.split('/').slice(1);
    const found = keys.reduce<unknown>(
      (at, key) => (at as Record<string, unknown> | undefined)?.[key],
      patched,
    );
    if (op === 'test' && found !== value) return null;
    if (op === 'remove' && keys[0] === 'finalizers') patched.finalizers?.splice(Number(keys[1]), 1);
    else if (op !== 'test') throw new Error(`the model of the API server does not know ${op} ${path}`);
  }
  return patched;
}

type OwnerReference = NonNullable<Pod['metadata']['ownerReferences']>[number];

/** The strategic merge patches that the activities send. */
interface PodPatch {
  uid: string;
  resourceVersion?: string;
  finalizers?: string[];
  '$deleteFromPrimitiveList/finalizers'?: string[];
  ownerReferences?: (OwnerReference | { $patch: 'delete'; uid: string })[];
}

function merged(
  metadata: Pod['metadata'],
  patch: Omit<PodPatch, 'uid' | 'resourceVersion'>,
): Pod['metadata'] {
  const {
    finalizers: added,
    '$deleteFromPrimitiveList/finalizers': removed,
    ownerReferences: owners,
    ...unknown
  } = patch;
  const [other] = Object.keys(unknown);
  if (other !== undefined) throw new Error(`the model of the API server does not know a patch of ${other}`);
  const { finalizers = [], ownerReferences = [] } = metadata;
  return {
    ...metadata,
    ...((added ?? removed) && {
      finalizers: [...new Set([...finalizers, ...(added ?? [])])].filter(
        (name) => removed?.includes(name) !== true,
      ),
    }),
    ...(owners && { ownerReferences: mergedOwners(ownerReferences, owners) }),
  };
}

/** Owners are merged by uid. */
function mergedOwners(
  live: readonly OwnerReference[],
  patch: NonNullable<PodPatch['ownerReferences']>,
): OwnerReference[] {
  const owners = new Map(live.map((owner) => [owner.uid, owner]));
  for (const change of patch) {
    if ('$patch' in change) owners.delete(change.uid);
    else owners.set(change.uid, { ...owners.get(change.uid), ...change });
  }
  return [...owners.values()];
}
