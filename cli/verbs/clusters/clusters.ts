import type { Command } from 'commander';
import { outputOption, type OutputOption } from '../../output.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import { withApiOr } from '../../sources/with-rows.ts';
import { addOverrides } from './overrides.ts';

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
        api: async (api) => (await import('./of-api.ts')).printClustersOfApi(api, options),
        tables: async () => (await import('./of-servers.ts')).printClustersOfServers(options),
      }),
  );
}
