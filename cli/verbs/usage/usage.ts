import { Option, type Command } from 'commander';
import { InputError } from '../../../services/adapters/errors.ts';
import { USAGE_GROUPINGS } from '../../../services/read-model/views/usage.ts';
import { sinceArgument } from '../../instant-option.ts';
import { limitArgument } from '../../limit-option.ts';
import { outputOption } from '../../output.ts';
import { connectionOptions } from '../../server/connection-options.ts';
import { withApiOr } from '../../sources/with-rows.ts';
import type { UsageOptions } from './print-usage.ts';

/** Adds the verb `usage`. */
export function registerUsage(program: Command): void {
  const command = program
    .command('usage')
    .description('show what Jobs used in a period, and what it cost: the requests of their pods × held time')
    .addOption(
      new Option('--by <property>', 'the common property of each group; waste is the cause of wasted time')
        .choices(USAGE_GROUPINGS)
        .default('team'),
    )
    .option(
      '--since <time>',
      'start: 12h or 7d before now, or an instant such as 2026-11-01T00:00:00Z; its hour counts as a whole (default: 7d)',
      sinceArgument('--since'),
    )
    .option(
      '--before <time>',
      'end, in the same form; its hour counts as a whole (default: now)',
      sinceArgument('--before'),
    )
    .option('--cluster <name>', 'only the pods in this cluster')
    .option('-n, --namespace <name>', 'only the Jobs of this namespace')
    .option('--team <name>', 'only the Jobs of this team')
    .option('--limit <count>', 'show at most this many groups', limitArgument, 100);
  connectionOptions(outputOption(command, 'print the sums as JSON')).action(async (options: UsageOptions) => {
    if ((options.since ?? -Infinity) >= (options.before ?? Infinity))
      throw new InputError('--before: the period ends before it begins (--since)');
    await withApiOr(options, {
      api: async (api) => (await import('./over-api.ts')).printUsageOfApi(api, options),
      tables: async () => (await import('./on-servers.ts')).printUsageOfServers(options),
    });
  });
}
