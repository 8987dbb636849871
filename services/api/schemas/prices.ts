import { z } from 'zod';
import { PRICE_VIEW } from '../../read-model/views/prices.ts';

/** A price of the newest list. */
export const priceSchema = PRICE_VIEW.meta({ id: 'Price' });

const listed = z.object({
  per_hour: z.string(),
  currency: z.string(),
  valid_until: z.string().nullable(),
});

/** The result of a request to apply a list. */
export const appliedPricesSchema = z
  .object({
    by: z.string().describe('The user, as recorded in the ledger'),
    applied: z.boolean().describe('False for a dry run, and when the list is equal to the present list'),
    correction: z.boolean().describe('True when the list changes prices of the past'),
    changes: z
      .array(
        z.object({
          change: z.enum(['added', 'removed', 'changed']),
          resource: z.string(),
          cluster: z.string().describe('* means every cluster'),
          node_class: z.string().describe('* means every node'),
          capacity_type: z.string().describe('* means every node'),
          valid_from: z.string(),
          before: listed.nullable().describe('The price in the present list; null for an added price'),
          after: listed.nullable().describe('The price in the given list; null for a removed price'),
        }),
      )
      .describe('The differences from the present list'),
  })
  .meta({ id: 'AppliedPrices' });
export type AppliedPrices = z.infer<typeof appliedPricesSchema>;
