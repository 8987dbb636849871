import type { ApiCalls } from '../../../services/adapters/http/api-calls.ts';
import { USAGE_BY_GROUP } from '../../../services/read-model/views/usage.ts';
import { PAGE } from '../../sources/api.ts';
import { printUsage, type UsageOptions } from './print-usage.ts';

/** Prints the usage of the Jobs that the caller may see. */
export async function printUsageOfApi(api: ApiCalls, options: UsageOptions): Promise<void> {
  const { by, since, before, cluster, namespace, team, limit } = options;
  const query = {
    by,
    from: since === undefined ? undefined : new Date(since).toISOString(),
    before: before === undefined ? undefined : new Date(before).toISOString(),
    cluster,
    namespace,
    team,
    limit: Math.min(PAGE, limit + 1),
  };
  printUsage(await api.get('/v1/usage', query, USAGE_BY_GROUP), options);
}
