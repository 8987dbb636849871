/** The path of the collection of a resource in a namespace; undefined for all namespaces. */
export function collectionPath(
  resource: 'jobs' | 'pods' | 'cronjobs',
  namespace: string | undefined,
): string {
  const group = resource === 'pods' ? '/api/v1' : '/apis/batch/v1';
  return `${group}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resource}`;
}
