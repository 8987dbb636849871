import { readFileSync } from 'node:fs';
import { JobledgerError } from '../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { parseYamlDocuments } from '../../../services/adapters/kubernetes/yaml.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The namespace of a namespaced object that names no namespace, as in kubectl. */
const DEFAULT_NAMESPACE = 'default';
const CLUSTER_WIDE: ReadonlySet<string> = new Set(['Namespace', 'ClusterRole', 'ClusterRoleBinding']);

/** The plural resource names of the kinds that are applied here. */
const PLURALS: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  ServiceAccount: 'serviceaccounts',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  Job: 'jobs',
};

/** Applies every object of a YAML file by server-side apply, in the file's order. Returns them as the server stores them. */
export async function applyManifests(client: KubernetesClient, file: string): Promise<unknown[]> {
  const manifests = parseYamlDocuments(readFileSync(file, 'utf8')) as (Manifest | null)[];
  const applied: unknown[] = [];
  for (const manifest of manifests) {
    if (manifest === null) continue;
    const path = `${manifestPath(manifest)}?fieldManager=jobledger-local&force=true`;
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

function manifestPath(manifest: Manifest): string {
  const plural = PLURALS[manifest.kind];
  if (plural === undefined) throw new JobledgerError(`cannot apply a ${manifest.kind} to a local cluster`);
  const group = manifest.apiVersion.includes('/')
    ? `/apis/${manifest.apiVersion}`
    : `/api/${manifest.apiVersion}`;
  const { name, namespace = DEFAULT_NAMESPACE } = manifest.metadata;
  const folder = CLUSTER_WIDE.has(manifest.kind) ? '' : `/namespaces/${namespace}`;
  return `${group}${folder}/${plural}/${name}`;
}
