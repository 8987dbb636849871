import type { ClusterVerb } from '../../../services/contracts/cluster-verbs.ts';
import { say } from '../../../services/contracts/say-of-cluster.ts';
import { placedIn, type PlacedView } from '../../../services/read-model/details.ts';
import { kafkaOf } from '../../ledger/read-ledger.ts';
import { thisUser } from '../../this-user.ts';
import { withDatabase } from '../../with-database.ts';
import { printSaid, type SayOptions } from './say.ts';

/** Records what a person says of a cluster, in Kafka. @throws InputError when it cannot be meant. */
export async function sayOnServers(verb: ClusterVerb, cluster: string, options: SayOptions): Promise<void> {
  const by = thisUser(options.by);
  await say(kafkaOf(options), { verb, cluster, by, force: options.force === true });
  await printSaid({ verb, cluster, by }, options, () =>
    withDatabase(options, (run) => run<PlacedView>(placedIn(cluster, { limit: null }))),
  );
}
