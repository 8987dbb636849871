import type { Command } from 'commander';
import { CLUSTER_VERBS, type ClusterVerb } from '../../../services/contracts/cluster-verbs.ts';
import { connectionOptions } from '../../server/connection-options.ts';
import { withApiOr } from '../../sources/with-rows.ts';
import type { OverrideOptions } from './override.ts';

const ABOUT: Readonly<Record<ClusterVerb, string>> = {
  cordon: 'place no new Jobs in a cluster',
  drain: 'place no new Jobs in a cluster, and move those that are there',
  uncordon: 'place Jobs in a cluster again',
  lost: 'declare that nothing runs in a cluster any more, so that its Jobs start elsewhere',
  found: 'take back that a cluster is lost',
};

/** Adds the verbs that override a cluster to `clusters`. */
export function addOverrides(clusters: Command): void {
  for (const verb of CLUSTER_VERBS) {
    const command = clusters
      .command(verb)
      .description(ABOUT[verb])
      .argument('<cluster>', 'name of the cluster')
      .option(
        '--by <who>',
        'user name to record (default: the user of this machine; through an API, the name of the token)',
      );
    if (verb === 'lost')
      command.option('--force', 'record it although the cluster answers; its pods may then run twice');
    if (verb === 'drain') command.option('--wait', 'wait until no placed Job is in the cluster');
    connectionOptions(command).action((cluster: string, options: OverrideOptions) =>
      withApiOr(options, {
        api: async (api) =>
          (await import('./override-over-api.ts')).overrideOverApi(api, verb, cluster, options),
        tables: async () =>
          (await import('./override-on-servers.ts')).overrideOnServers(verb, cluster, options),
      }),
    );
  }
}
