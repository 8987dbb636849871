import type { Places } from '../adapters/places.ts';
import type { Statement } from '../adapters/postgres/statement.ts';
import { placeValues, visibleCluster } from './visible.ts';

/** The names of the clusters that were ever connected and that the places include. */
export function clusterNames(places: Places = null): Statement {
  return {
    text: `select name from jobledger.clusters where ${visibleCluster(1, 'name')} order by name`,
    values: [placeValues(places)[0]],
  };
}

/** The text of the error for an unknown cluster. */
export function unknownClusterText(cluster: string, known: readonly string[]): string {
  return `no cluster "${cluster}" was ever connected; there are: ${known.join(', ') || 'none'}`;
}
