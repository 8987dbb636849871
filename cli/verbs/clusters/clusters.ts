import type { Command } from 'commander';
import { CLUSTER_VERBS, type ClusterVerb } from '../../../services/requests/cluster-verbs.ts';
import { outputOption, type OutputOption } from '../../output.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import { withApiOr } from '../../sources/with-rows.ts';
import type { OverrideOptions } from './override.ts';

/** Adds the verb `clusters` with its subcommands. */
export function registerClusters(program: Command): void {
  const command = program
    .command('clusters')
    .description(
      'list the clusters that were ever connected: the leading ingester, the last event of each watch, gaps, Jobs, and dead letters',
    );
  addOverrides(command);
  connectionOptions(outputOption(command, 'print the rows as JSON')).action(
    (options: ConnectionOptions & OutputOption) =>
      withApiOr(options, {
        api: async (api) => (await import('./print-from-api.ts')).printClustersFromApi(api, options),
        tables: async () => (await import('./print-from-servers.ts')).printClustersFromServers(options),
      }),
  );
}

const ABOUT: Readonly<Record<ClusterVerb, string>> = {
  cordon: 'place no new Jobs in a cluster',
  drain: 'place no new Jobs in a cluster, and move its placed Jobs to other clusters',
  uncordon: 'place Jobs in a cluster again',
  lost: 'declare that nothing runs in a cluster, so that its placed Jobs start in other clusters',
  found: 'withdraw the declaration that a cluster is lost',
};

/** Adds to `clusters` the verbs that override the state of a cluster. */
function addOverrides(clusters: Command): void {
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
      command.option('--force', 'declare the cluster lost although it answers; its pods may then run twice');
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
