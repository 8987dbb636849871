import { setTimeout as pause } from 'node:timers/promises';
import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import { list } from '../../../../services/adapters/kubernetes/watch.ts';
import type { Job, Pod } from '../../../../workflows/kubernetes/objects.ts';

export function jobsIn(namespace: string): string {
  return `/apis/batch/v1/namespaces/${namespace}/jobs`;
}

export function podsIn(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

/** Creates the namespace, and the service account without which no pod is admitted: no controller runs that would. */
export async function createNamespace(client: KubernetesClient, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await client.request({ method: 'POST', path: '/api/v1/namespaces', body });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  const path = `/api/v1/namespaces/${name}/serviceaccounts`;
  await client.request({ method: 'POST', path, body: account });
}

/** Deletes all Jobs and pods. @throws when a pod still has a finalizer, because its controller should have removed it. */
export async function emptyNamespace(client: KubernetesClient, namespace: string): Promise<void> {
  const pods = (await list<Pod>(client, podsIn(namespace))).items;
  const kept = pods.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds: 0,
    propagationPolicy: 'Background',
  };
  for (const path of [jobsIn(namespace), podsIn(namespace)])
    await client.request({ method: 'DELETE', path, body, timeoutMs: 300_000 });
  if (kept.length > 0)
    throw new Error(`${kept.length} pods in ${namespace} kept a finalizer, e.g. ${kept[0]?.metadata.name}`);
  while ((await list<Job>(client, jobsIn(namespace))).items.length > 0) await pause(100);
}
