import { boolean, defineTable, instant, nullable, numeric, shortText, text, type RowOf } from './table.ts';

/** The prices of every list that was ever applied; the migrations describe the columns. */
export const APPLIED_PRICES = defineTable({
  name: 'applied_prices',
  key: ['event_id', 'resource', 'cluster', 'node_class', 'capacity_type', 'valid_from'],
  isAppendOnly: true,
  columns: {
    event_id: shortText,
    resource: shortText,
    cluster: shortText,
    node_class: shortText,
    capacity_type: shortText,
    valid_from: instant,
    valid_until: nullable(instant),
    per_hour: numeric,
    currency: text,
    applied_by: text,
    applied_at: instant,
    correction: boolean,
  },
});
export type AppliedPriceRow = RowOf<typeof APPLIED_PRICES>;
