const GROUPS = {
  jobs: '/apis/batch/v1',
  cronjobs: '/apis/batch/v1',
  pods: '/api/v1',
  nodes: '/api/v1',
  events: '/apis/events.k8s.io/v1',
} as const;

/** The path of the collection of a resource in a namespace; undefined for all namespaces. Nodes have no namespace. */
export function collectionPath(resource: keyof typeof GROUPS, namespace: string | undefined): string {
  const within = namespace === undefined || resource === 'nodes' ? '' : `/namespaces/${namespace}`;
  return `${GROUPS[resource]}${within}/${resource}`;
}
