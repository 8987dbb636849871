import type { Places } from '../../adapters/places.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import { placeValues, visibleCluster } from './visible.ts';

/** The prices of the newest list that concern a cluster of the places. */
export function currentPrices(places: Places = null): Statement {
  return {
    text: `select resource, cluster, node_class, capacity_type, per_hour, currency, valid_from, valid_until, applied_by, applied_at
      from jobledger.prices where cluster = '*' or ${visibleCluster(1, 'cluster')}
      order by resource, cluster, node_class, capacity_type, valid_from`,
    values: [placeValues(places)[0]],
  };
}
