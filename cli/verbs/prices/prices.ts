import type { Command } from 'commander';
import { outputOption, type OutputOption } from '../../output.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import { withApiOr } from '../../sources/with-rows.ts';
import type { ApplyOptions } from './print-applied.ts';

/** Adds the verb `prices` with its subcommand. */
export function registerPrices(program: Command): void {
  const command = program
    .command('prices')
    .description('list the prices of resources, with which the costs of Jobs are computed');
  addApply(command);
  connectionOptions(outputOption(command, 'print the rows as JSON')).action(
    (options: ConnectionOptions & OutputOption) =>
      withApiOr(options, {
        api: async (api) => (await import('./list.ts')).printPricesOfApi(api, options),
        tables: async () => (await import('./list-on-servers.ts')).printPricesOfServers(options),
      }),
  );
}

function addApply(prices: Command): void {
  const command = prices
    .command('apply')
    .description(
      'apply a price list, which replaces the present list; each hour keeps the price that was valid in it',
    )
    .argument('<file>', 'the price list, YAML or JSON; - for the standard input')
    .option(
      '--by <who>',
      'user name to record (default: the user of this machine; through an API, the name of the token)',
    )
    .option('--dry-run', 'print the differences from the present list; record nothing', false)
    .option('--correction', 'also change prices of the past', false);
  connectionOptions(outputOption(command, 'print the result as JSON')).action(
    async (file: string, options: ApplyOptions) => {
      const { readPriceList } = await import('./read-price-list.ts');
      const list = await readPriceList(file);
      await withApiOr(options, {
        api: async (api) => (await import('./apply-over-api.ts')).applyOverApi(api, list, options),
        tables: async () => (await import('./apply-on-servers.ts')).applyOnServers(list, options),
      });
    },
  );
}
