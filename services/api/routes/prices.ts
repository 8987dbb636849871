import { z } from 'zod';
import { InputError } from '../../adapters/errors.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import { ANY, isWithin } from '../../adapters/places.ts';
import { currentPrices } from '../../read-model/queries/prices.ts';
import type { PriceView } from '../../read-model/views/prices.ts';
import { PastPricesError, planPrices, type PlannedPrices } from '../../requests/prices/apply-prices.ts';
import { shownChanges } from '../../requests/prices/compare.ts';
import { PRICE_LIST } from '../../requests/prices/price-list.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadTransaction } from '../reads.ts';
import { appliedPricesSchema, priceSchema } from '../schemas/prices.ts';
import * as values from '../schemas/values.ts';

/** The largest body in bytes: a list of the most prices. */
const LIST_BYTES = 1024 * 1024;

/** Records a price list in the ledger; `by` names the user. */
export type ApplyPrices = (planned: PlannedPrices, by: string) => Promise<void>;

interface PricesDependencies {
  reads: ReadTransaction;
  applyPrices: ApplyPrices;
}

/** The prices with which costs are computed. */
export function addPriceRoutes(server: HttpServer, { reads, applyPrices }: PricesDependencies): void {
  server.route({
    method: 'GET',
    url: '/v1/prices',
    config: { scope: 'read' },
    schema: {
      operationId: 'listPrices',
      summary: 'The prices of the newest price list, by resource, cluster and time',
      tags: ['Clusters'],
      querystring: z.strictObject({}),
      response: { 200: z.object({ items: z.array(priceSchema) }) },
    },
    handler: async ({ caller, raw }) => ({
      items: await reads({ caller, raw }, (run, places) => run<PriceView>(currentPrices(places))),
    }),
  });
  server.route({
    method: 'POST',
    url: '/v1/prices',
    config: { scope: 'prices', problems: ['conflict', 'invalid-prices'] },
    bodyLimit: LIST_BYTES,
    schema: {
      operationId: 'applyPrices',
      summary: 'Apply a price list, which replaces the present list',
      description:
        'The API responds once the list is in the ledger; the tables have it soon after. An hour keeps the price of its time: a list that changes prices of the past is a conflict, unless it is a correction. The caller needs the scope prices in every namespace of every cluster.',
      tags: ['Operate'],
      querystring: z.strictObject({
        by: values.userName.optional().describe('The user; the name of the token is recorded too'),
        dry_run: z
          .enum(['true', 'false'])
          .default('false')
          .describe('Only compare the list with the present list; record nothing'),
        correction: z.enum(['true', 'false']).default('false').describe('Also change prices of the past'),
      }),
      body: PRICE_LIST,
      response: { 200: appliedPricesSchema },
    },
    handler: async ({ query, body, caller, raw }) => {
      requireEverywhere(caller);
      const by = query.by === undefined ? caller.name : `${query.by} (by ${caller.name})`;
      const isCorrection = query.correction === 'true';
      const planned = await asProblem(() =>
        reads({ caller, raw }, (run) => planPrices(run, body, { isCorrection })),
      );
      const isApplied = query.dry_run === 'false' && planned.changes.length > 0;
      if (isApplied) await applyPrices(planned, by);
      return {
        by,
        applied: isApplied,
        correction: planned.isCorrection,
        changes: shownChanges(planned.changes),
      };
    },
  });
}

async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new ProblemError(error instanceof PastPricesError ? 'conflict' : 'invalid-prices', error.message);
  }
}

/** @throws ProblemError unless the caller has the right everywhere, because a list concerns every cluster. */
function requireEverywhere({ name, places }: Caller): void {
  if (isWithin(places, ANY, ANY)) return;
  throw new ProblemError(
    'forbidden',
    `a price list concerns every cluster, but "${name}" has rights in only some places`,
  );
}
