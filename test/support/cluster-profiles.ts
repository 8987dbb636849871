import type { TestCluster } from './cluster.ts';
import { eventually } from './eventually.ts';

const GROUP = 'multicluster.x-k8s.io';
const PROFILES = `/apis/${GROUP}/v1alpha1/namespaces/default/clusterprofiles`;

/**
 * ClusterProfiles with these properties, in the namespace `default`, the kind itself, which Kubernetes does not have, and the worker's
 * right to read them.
 */
export async function createProfiles(
  hub: TestCluster | undefined,
  profiles: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<void> {
  const all = Object.entries(profiles);
  if (hub === undefined || all.length === 0) return;
  const post = (path: string, body: object) => hub.client.request({ method: 'POST', path, body });
  await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `clusterprofiles.${GROUP}`,
      annotations: {
        'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/cluster-inventory-api',
      },
    },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind: 'ClusterProfile', plural: 'clusterprofiles' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  await eventually('the API server knows the kind', 30, () =>
    hub.client.request({ method: 'GET', path: PROFILES }).catch(() => undefined),
  );
  const rights = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  await post(`${rights}/roles`, {
    metadata: { name: 'profiles' },
    rules: [{ apiGroups: [GROUP], resources: ['clusterprofiles'], verbs: ['list', 'watch'] }],
  });
  await post(`${rights}/rolebindings`, {
    metadata: { name: 'profiles' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'profiles' },
    subjects: [{ kind: 'ServiceAccount', name: 'jobledger-worker', namespace: 'jobledger' }],
  });
  for (const [name, properties] of all) {
    const profile = { apiVersion: `${GROUP}/v1alpha1`, kind: 'ClusterProfile', metadata: { name } };
    await post(PROFILES, profile);
    await hub.client.request({
      method: 'PATCH',
      path: `${PROFILES}/${name}/status`,
      contentType: 'application/merge-patch+json',
      body: {
        status: { properties: Object.entries(properties).map(([key, value]) => ({ name: key, value })) },
      },
    });
  }
}
