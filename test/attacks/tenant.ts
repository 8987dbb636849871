import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import { createKubernetesClient, type KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../services/adapters/kubernetes/connection.ts';
import type { Installation } from '../support/installation.ts';
import { seededRandom } from '../support/random.ts';
import { ATTACKS, choose, type Hands, type Resource, type Target } from './hostile-objects.ts';
import { paced } from './paced.ts';

/** What a tenant did. */
export interface TenantFigures {
  attacks: number;
  accepted: number;
  /** By the API server. */
  refused: number;
}

interface TenantOptions {
  seed: number;
  /** Requests a second. */
  rate: number;
  namespace: string;
  targets: () => readonly Target[];
  signal: AbortSignal;
}

/** The most objects of each kind that an attacker keeps: it deletes the oldest. */
const MOST_KEPT = 60;
/** What the administrator of the cluster allows the namespace. */
const QUOTA = { pods: '25', 'count/jobs.batch': '150', 'count/cronjobs.batch': '70' };

/** A tenant with every right in its namespace, at the API server, until the signal. */
export async function attackAsTenant(
  installation: Installation,
  { seed, rate, namespace, targets, signal }: TenantOptions,
): Promise<TenantFigures> {
  const client = await connectTenant(installation, namespace);
  const figures: TenantFigures = { attacks: 0, accepted: 0, refused: 0 };
  const random = seededRandom(seed);
  const turn = paced(rate);
  const resourcePath = (resource: Resource, name = ''): string =>
    `${resource === 'pods' ? '/api/v1' : '/apis/batch/v1'}/namespaces/${namespace}/${resource}${name === '' ? '' : `/${name}`}`;
  const ask = async <T>(request: Parameters<KubernetesClient['request']>[0]): Promise<T | undefined> => {
    await turn();
    signal.throwIfAborted();
    try {
      const answer = await client.request<T>(request);
      figures.accepted += 1;
      return answer;
    } catch (error) {
      if (!(error instanceof KubernetesApiError || error instanceof UnavailableError)) throw error;
      figures.refused += 1;
      return undefined;
    }
  };
  const kept: Record<Resource, string[]> = { jobs: [], cronjobs: [], pods: [] };
  let names = 0;
  const hands: Hands = {
    namespace,
    random,
    targets,
    newName: () => `a${seed}-${(names += 1)}`,
    async create(resource, object) {
      const created = await ask<never>({ method: 'POST', path: resourcePath(resource), body: object });
      const { name } = (object as { metadata: { name: string } }).metadata;
      if (created !== undefined) kept[resource].push(name);
      const oldest = kept[resource].length > MOST_KEPT ? kept[resource].shift() : undefined;
      if (oldest !== undefined) await hands.remove(resource, oldest);
      return created;
    },
    async patch(resource, name, patch, { subresource, fieldManager } = {}) {
      const query = fieldManager === undefined ? '' : `?fieldManager=${fieldManager}`;
      await ask({
        method: 'PATCH',
        path: `${resourcePath(resource, name)}${subresource === undefined ? '' : `/${subresource}`}${query}`,
        body: patch,
        contentType: 'application/merge-patch+json',
      });
    },
    async remove(resource, name, propagationPolicy = 'Background') {
      // What has a finalizer that nobody takes off would fill the quota.
      if (propagationPolicy === 'Background')
        await hands.patch(resource, name, { metadata: { finalizers: [] } });
      await ask({
        method: 'DELETE',
        path: resourcePath(resource, name),
        body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy },
      });
    },
    list: async <T>(resource: Resource) =>
      (await ask<{ items: T[] }>({ method: 'GET', path: `${resourcePath(resource)}?limit=100` }))?.items ??
      [],
  };
  const attacks = Object.values(ATTACKS);
  while (!signal.aborted) {
    // Each once before any is repeated.
    const attack = attacks[figures.attacks] ?? choose(attacks, random);
    figures.attacks += 1;
    await attack(hands).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  return figures;
}

/** A service account with every right in the namespace, which has a quota as namespaces of tenants do. */
async function connectTenant(
  { cluster: { client }, servers, stateDir }: Installation,
  namespace: string,
): Promise<KubernetesClient> {
  const post = <T = unknown>(path: string, body: object): Promise<T> =>
    client.request<T>({ method: 'POST', path, body });
  const rights = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const metadata = { name: 'tenant' };
  await post(`/api/v1/namespaces/${namespace}/resourcequotas`, { metadata, spec: { hard: QUOTA } });
  await post(accounts, { metadata });
  await post(`${rights}/roles`, {
    metadata,
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  });
  await post(`${rights}/rolebindings`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'tenant' },
    subjects: [{ kind: 'ServiceAccount', name: 'tenant', namespace }],
  });
  const { status } = await post<{ status: { token: string } }>(`${accounts}/tenant/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 7200 },
  });
  const file = join(stateDir, 'tenant.kubeconfig');
  const config = JSON.parse(readFileSync(servers.addresses.adminKubeconfig ?? '', 'utf8')) as {
    users: { user: object }[];
  };
  for (const user of config.users) user.user = { token: status.token };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const [connection] = connectClusters({ kubeconfig: file, contexts: ['local'] });
  if (connection === undefined) throw new Error('the kubeconfig has no context');
  return createKubernetesClient(connection);
}
