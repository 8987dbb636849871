import type { ListedCluster } from '../api/rows.ts';

/** The versions of the ingesters that lead, each once, in order. */
export function listVersions(clusters: readonly Pick<ListedCluster, 'shards'>[]): string[] {
  const versions = clusters.flatMap(({ shards }) => (shards ?? []).flatMap(({ version }) => version ?? []));
  return [...new Set(versions)].toSorted();
}
