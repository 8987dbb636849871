import { readFileSync } from 'node:fs';
import { JobledgerError } from '../../../services/adapters/errors.ts';
import { clientLibrary } from '../../../services/adapters/kubernetes/client-library.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** As for kubectl, what is not cluster-wide and names no namespace is meant for this one. */
const DEFAULT_NAMESPACE = 'default';
const CLUSTER_WIDE: ReadonlySet<string> = new Set(['Namespace', 'ClusterRole', 'ClusterRoleBinding']);

/** Where objects of the kinds that are applied here live. */
const PLURALS: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  ServiceAccount: 'serviceaccounts',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  Job: 'jobs',
};

/** Applies every object of a YAML file on the server's side, in the file's order; gives them as the server has them. */
export async function applyManifests(client: KubernetesClient, file: string): Promise<unknown[]> {
  const manifests = clientLibrary().loadAllYaml(readFileSync(file, 'utf8')) as (Manifest | undefined)[];
  const applied: unknown[] = [];
  for (const manifest of manifests) {
    if (manifest === undefined || manifest === null) continue;
    const path = `${pathOf(manifest)}?fieldManager=jobledger-local&force=true`;
    const object = await client.request({
      method: 'PATCH',
      path,
      body: manifest,
      contentType: 'application/apply-patch+yaml',
    });
    applied.push(object);
  }
  return applied;
}

function pathOf(manifest: Manifest): string {
  const plural = PLURALS[manifest.kind];
  if (plural === undefined) throw new JobledgerError(`a ${manifest.kind} is not applied to a local cluster`);
  const group = manifest.apiVersion.includes('/')
    ? `/apis/${manifest.apiVersion}`
    : `/api/${manifest.apiVersion}`;
  const { name, namespace = DEFAULT_NAMESPACE } = manifest.metadata;
  const folder = CLUSTER_WIDE.has(manifest.kind) ? '' : `/namespaces/${namespace}`;
  return `${group}${folder}/${plural}/${name}`;
}
