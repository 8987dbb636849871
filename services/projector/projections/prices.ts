import type { PricesApplied } from '../../../workflows/ledger/prices.ts';
import { ANY } from '../../adapters/places.ts';
import type { AppliedPriceRow } from '../../read-model/tables/prices.ts';
import { toTimestamp } from './instants.ts';

/** The rows of a price list. The rows of earlier lists stay. */
export function appliedPriceRows({ id, time, data }: PricesApplied): AppliedPriceRow[] {
  const { by, currency, prices, correction = false } = data;
  return prices.map(
    ({ resource, cluster, nodeClass = ANY, capacityType = ANY, perHour, validFrom, validUntil }) => ({
      event_id: id,
      resource,
      cluster,
      node_class: nodeClass,
      capacity_type: capacityType,
      valid_from: toTimestamp(validFrom) ?? validFrom,
      valid_until: validUntil === undefined ? null : (toTimestamp(validUntil) ?? validUntil),
      per_hour: perHour,
      currency,
      applied_by: by,
      applied_at: toTimestamp(time) ?? time,
      correction,
    }),
  );
}
