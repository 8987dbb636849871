import type { Command } from 'commander';
import { outputOption, type OutputOption } from '../../output.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import { withApiOr } from '../../sources/with-rows.ts';

export function registerClusters(program: Command): void {
  const command = program
    .command('clusters')
    .description(
      'list the clusters that were ever connected, with the gaps in what was seen of them; through an API: whether each is reached, and how far the tables are behind; on the servers: which ingester leads, and when each watch last heard something',
    );
  connectionOptions(outputOption(command, 'print the rows as JSON')).action(clusters);
}

function clusters(options: ConnectionOptions & OutputOption): Promise<void> {
  return withApiOr(options, {
    api: async (api) => (await import('./of-api.ts')).printClustersOfApi(api, options),
    tables: async () => (await import('./of-servers.ts')).printClustersOfServers(options),
  });
}
