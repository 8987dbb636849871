import type { Places } from '../../adapters/places.ts';

/**
 * The condition in SQL that a row is in one of the places. `first` is the number of the first of the two parameters
 * from `placeValues`. `table` has the column `namespace`, and the column `cluster` is the name of the column with the
 * cluster. A row without namespace, such as an event of a cluster, is visible only with every namespace of the cluster.
 */
export function visibleIn(first: number, table: string, cluster = 'cluster'): string {
  const [clusters, namespaces] = [`$${first}::text[]`, `$${first + 1}::text[]`];
  return `(${clusters} is null or exists (select from unnest(${clusters}, ${namespaces}) as place (cluster, namespace)
    where place.cluster in ('*', ${table}.${cluster}) and place.namespace in ('*', ${table}.namespace)))`;
}

/**
 * Works like `visibleIn`, but a row without namespace concerns every namespace of its cluster, and is visible with any
 * namespace of it.
 */
export function visibleInOrOfAll(first: number, table: string): string {
  return `(${visibleIn(first, table)} or ${table}.namespace is null and ${visibleCluster(first, `${table}.cluster`)})`;
}

/** The condition in SQL that the places include a namespace of the cluster in a column. */
export function visibleCluster(first: number, column: string): string {
  return `($${first}::text[] is null or '*' = any ($${first}::text[]) or ${column} = any ($${first}::text[]))`;
}

/** The values of the two parameters: clusters and namespaces, place by place. */
export function placeValues(places: Places): [string[] | null, string[] | null] {
  return places === null
    ? [null, null]
    : [places.map(({ cluster }) => cluster), places.map(({ namespace }) => namespace)];
}
