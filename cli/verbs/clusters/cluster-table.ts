import { limitsOf } from '../../../services/adapters/kubernetes/cluster-facts.ts';
import type { ClusterView } from '../../../services/read-model/details.ts';
import { table } from '../../print/table.ts';

/** A row of the tables, and what the cluster cannot do. */
export interface ClusterRow extends ClusterView {
  /** What Jobledger offers and the cluster cannot do, in words. */
  limits: string[];
}

export function clusterRow(cluster: ClusterView): ClusterRow {
  return { ...cluster, limits: limitsOf(cluster).map(({ words }) => words) };
}

/** `titles` and `cells`: the columns of what only one source knows. */
export function clusterTable<R extends ClusterRow>(
  found: readonly R[],
  { titles, cells }: { titles: readonly string[]; cells: (row: R) => readonly string[] },
): string {
  if (found.length === 0) return 'no clusters';
  return table(
    ['NAME', 'UID', 'VERSION', 'WITHOUT', 'CONNECTED', ...titles, 'JOBS', 'UNFINISHED', 'GAPS', 'LAST GAP'],
    found.map((each) => [
      each.name,
      each.uid ?? '',
      each.version ?? '',
      limitsOf(each)
        .map(({ feature }) => feature)
        .join(','),
      each.last_connected_at ?? '',
      ...cells(each),
      String(each.jobs),
      String(each.unfinished),
      String(each.gaps),
      each.last_gap_to === null ? '' : `${each.last_gap_from ?? '?'} to ${each.last_gap_to}`,
    ]),
  );
}
