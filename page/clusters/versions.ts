import type { ListedCluster } from '../api/rows.ts';

/** The distinct versions of the leading ingesters, in order. */
export function listVersions(clusters: readonly Pick<ListedCluster, 'shards'>[]): string[] {
  const versions = clusters.flatMap(({ shards }) => (shards ?? []).flatMap(({ version }) => version ?? []));
  return [...new Set(versions)].toSorted();
}
