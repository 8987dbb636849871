import type { ClusterVerb } from '../../../services/requests/cluster-verbs.ts';
import { overrideCluster } from '../../../services/requests/override-cluster.ts';
import { placedJobsIn } from '../../../services/read-model/queries/clusters.ts';
import type { PlacedView } from '../../../services/read-model/views/clusters.ts';
import { connectLedger } from '../../ledger/read-ledger.ts';
import { thisUser } from '../../this-user.ts';
import { withDatabase } from '../../with-database.ts';
import { printOverride, type OverrideOptions } from './override.ts';

/**
 * Records an override of a cluster in Kafka, without the API, and prints it; after `drain` also the placed Jobs that are left in the
 * cluster, read from Postgres, with `--wait` until none is left. @throws InputError for an unknown cluster, and if the state of the
 * cluster does not permit the override.
 */
export async function overrideOnServers(
  verb: ClusterVerb,
  cluster: string,
  options: OverrideOptions,
): Promise<void> {
  const by = thisUser(options.by);
  const { isChanged } = await overrideCluster(connectLedger(options), {
    verb,
    cluster,
    by,
    force: options.force === true,
  });
  await printOverride({ verb, cluster, by, isChanged }, options, () =>
    withDatabase(options, (run) => run<PlacedView>(placedJobsIn(cluster, { limit: null }))),
  );
}
