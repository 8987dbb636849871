import type {
  Job,
  ObjectMeta,
  PodGroupTemplate,
  Workload,
} from '../../../../workflows/kubernetes/objects.ts';
import { findController } from '../../../../workflows/kubernetes/controller.ts';
import { pathSegment } from '../../../adapters/kubernetes/path-segment.ts';
import { listPages } from '../../../adapters/kubernetes/watch.ts';
import { nullIfNotFound } from '../../command/requests.ts';
import type { CommandContext } from './command-context.ts';
import { controllerReference } from './new-pod.ts';

/** The Job whose Workload and PodGroup are requested, and the version of their API. */
export interface GroupRequest {
  context: CommandContext;
  job: Job;
  api: string;
}

/** The object to use, or the reason why no such object exists. */
export type Found<T> = T | { none: string };

export type GroupResource = 'workloads' | 'podgroups';

export function groupPath({ context, api }: GroupRequest, resource: GroupResource): string {
  return `/apis/${api}/namespaces/${pathSegment(context.job.namespace)}/${resource}`;
}

/**
 * Returns the objects of the namespace for which `isMeant` is true. All objects are read, because the API has no
 * selector for references.
 */
export async function listItems<T>(
  of: GroupRequest,
  resource: GroupResource,
  isMeant: (item: T) => boolean,
): Promise<T[]> {
  const meant: T[] = [];
  const { client, signal } = of.context;
  for await (const { items } of listPages<T>(client, groupPath(of, resource), '', signal))
    meant.push(...items.filter(isMeant));
  return meant;
}

/** Reads an object; returns null when no object has this name. */
export function readItem<T>(of: GroupRequest, resource: GroupResource, name: string): Promise<T | null> {
  const { client, signal } = of.context;
  const path = `${groupPath(of, resource)}/${pathSegment(name)}`;
  return client.request<T>({ method: 'GET', path, signal }).catch(nullIfNotFound);
}

export function createGroupObject<T>(of: GroupRequest, resource: GroupResource, body: object): Promise<T> {
  const { client, signal } = of.context;
  return client.request<T>({ method: 'POST', path: groupPath(of, resource), body, signal });
}

export function isControlledBy({ metadata: { uid } }: Job, metadata: ObjectMeta): boolean {
  return findController(metadata)?.uid === uid;
}

/** A Workload with its only template (J-8.4, J-8.23). */
export function newWorkload({ job, api }: GroupRequest, name: string, template: PodGroupTemplate): object {
  const { metadata } = job;
  return {
    apiVersion: api,
    kind: 'Workload',
    metadata: { name, namespace: metadata.namespace, ownerReferences: [controllerReference(job)] },
    spec: {
      controllerRef: { apiGroup: 'batch', kind: 'Job', name: metadata.name },
      podGroupTemplates: [template],
    },
  };
}

/** The Workload as an owner that neither controls its PodGroup nor waits for its deletion. */
export function ownerReference({ api }: GroupRequest, { metadata: { name, uid } }: Workload): object {
  return { apiVersion: api, kind: 'Workload', name, uid };
}
