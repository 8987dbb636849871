import { readFileSync } from 'node:fs';
import { loadAllYaml } from '@kubernetes/client-node';
import { JobledgerError } from '../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Where objects of the kinds that are applied here live. */
const PLURALS: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  ServiceAccount: 'serviceaccounts',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};

/** Applies every object of a YAML file on the server's side, in the file's order. */
export async function applyManifests(client: KubernetesClient, file: string): Promise<void> {
  const manifests = loadAllYaml(readFileSync(file, 'utf8')) as (Manifest | undefined)[];
  for (const manifest of manifests) {
    if (manifest === undefined || manifest === null) continue;
    const path = `${pathOf(manifest)}?fieldManager=jobledger-local&force=true`;
    await client.request({
      method: 'PATCH',
      path,
      body: manifest,
      contentType: 'application/apply-patch+yaml',
    });
  }
}

function pathOf(manifest: Manifest): string {
  const plural = PLURALS[manifest.kind];
  if (plural === undefined) throw new JobledgerError(`a ${manifest.kind} is not applied to a local cluster`);
  const group = manifest.apiVersion.includes('/')
    ? `/apis/${manifest.apiVersion}`
    : `/api/${manifest.apiVersion}`;
  const { name, namespace } = manifest.metadata;
  return `${group}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}/${name}`;
}
