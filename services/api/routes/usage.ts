import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { readUsage, usagePeriod } from '../../read-model/queries/usage.ts';
import { USAGE_BY_GROUP, USAGE_GROUPINGS } from '../../read-model/views/usage.ts';
import type { ReadTransaction } from '../reads.ts';
import * as values from '../schemas/values.ts';

const usageQuery = z.strictObject({
  by: z.enum(USAGE_GROUPINGS).describe('The common property of a group; waste is the cause of wasted time'),
  from: values.instantParameter.optional().describe('The start of the period; seven days ago by default'),
  before: values.instantParameter
    .optional()
    .describe('The end of the period; now by default. A period that ends before it begins has no usage'),
  cluster: values.clusterName.optional(),
  namespace: values.namespaceName.optional(),
  team: values
    .textUpTo(253)
    .optional()
    .meta({ description: 'Only the Jobs of this team', examples: ['maths'] }),
  limit: values.limit.describe('The maximum number of groups'),
});

/** What Jobs used, and what it cost. */
export function addUsageRoute(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/usage',
    config: { scope: 'read' },
    schema: {
      operationId: 'getUsage',
      summary: 'What Jobs used in a period, and what it cost, by team or another property',
      description:
        'The period consists of whole hours in UTC: it begins with the hour of `from` and ends with the hour of `before`. The groups with the most pod-hours come first; days and hours come in order. `total` is the sum of all groups.',
      tags: ['Jobs'],
      querystring: usageQuery,
      response: { 200: USAGE_BY_GROUP },
    },
    handler: async ({ query, caller, raw }) => {
      const from = query.from === undefined ? undefined : Date.parse(query.from);
      const before = query.before === undefined ? undefined : Date.parse(query.before);
      const filter = { ...query, ...usagePeriod({ from, before }) };
      return reads({ caller, raw }, (run, places) => readUsage(run, filter, places));
    },
  });
}
