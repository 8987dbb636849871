type Resource = 'jobs' | 'pods' | 'cronjobs' | 'nodes';

/** The path of the collection of a resource in a namespace; undefined for all namespaces. Nodes have no namespace. */
export function collectionPath(resource: Resource, namespace: string | undefined): string {
  const isOfCore = resource === 'pods' || resource === 'nodes';
  const within = namespace === undefined || resource === 'nodes' ? '' : `/namespaces/${namespace}`;
  return `${isOfCore ? '/api/v1' : '/apis/batch/v1'}${within}/${resource}`;
}
