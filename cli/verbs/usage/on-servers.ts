import { readUsage, usagePeriod } from '../../../services/read-model/queries/usage.ts';
import { withDatabase } from '../../with-database.ts';
import { printUsage, type UsageOptions } from './print-usage.ts';

/** Prints the usage in the tables. */
export async function printUsageOfServers(options: UsageOptions): Promise<void> {
  const period = usagePeriod({ from: options.since, before: options.before });
  const filter = { ...options, ...period, limit: options.limit + 1 };
  printUsage(await withDatabase(options, (run) => readUsage(run, filter)), options);
}
