import type { Places } from '../adapters/places.ts';
import type { Statement } from '../adapters/postgres/statement.ts';
import { placeValues, visibleCluster } from './visible.ts';

/** The names of the clusters that were ever connected, as far as the places include them. */
export function clusterNames(places: Places = null): Statement {
  return {
    text: `select name from jobledger.clusters where ${visibleCluster(1, 'name')} order by name`,
    values: [placeValues(places)[0]],
  };
}

/** The refusal of a cluster that is none of the known ones. */
export function unknownClusterText(cluster: string, known: readonly string[]): string {
  return `no cluster "${cluster}" was ever connected; there are: ${known.join(', ') || 'none'}`;
}
