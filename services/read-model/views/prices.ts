import { APPLIED_PRICES } from '../tables/prices.ts';
import { omitColumns } from '../tables/table.ts';
import { viewSchema } from './view.ts';
import type { z } from 'zod';

/** A price of the newest price list. */
export const PRICE_VIEW = viewSchema(omitColumns(APPLIED_PRICES.columns, 'event_id', 'correction'), {
  resource:
    'cpu (the price of a core), memory (of a GiB), or the name of an extended resource (of one), such as nvidia.com/gpu',
  cluster: '* means every cluster that has no price of its own for the resource at the time',
  node_class: 'The class of the nodes; * means every node that has no price of its class',
  capacity_type: 'The capacity type of the nodes; * means every node that has no price of its capacity type',
  per_hour: 'The price of an hour, as a decimal number',
  currency: 'An ISO 4217 code',
  valid_until: 'The end of the period, which is not part of it; null for a period without end',
});
export type PriceView = z.infer<typeof PRICE_VIEW>;
