import { randomUUID } from 'node:crypto';
import type { Price, PricesApplied } from '../../../workflows/ledger/prices.ts';
import { InputError } from '../../adapters/errors.ts';
import { REQUESTS_SOURCE, withDigest } from '../../adapters/events/event-codec.ts';
import type { LazyAppender } from '../../adapters/kafka/lazy-appender.ts';
import { ANY } from '../../adapters/places.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { clusterNames } from '../../read-model/queries/clusters.ts';
import { currentPrices } from '../../read-model/queries/prices.ts';
import type { PriceView } from '../../read-model/views/prices.ts';
import { changeOfPast, priceChanges, type PriceChange } from './compare.ts';
import { requirePriceList, shortestDecimal, type GivenPriceList, type PriceList } from './price-list.ts';

/** The error for a list that would change prices of the past. */
export class PastPricesError extends InputError {
  override readonly name = 'PastPricesError';
}

/** A checked price list, compared with the present list. */
export interface PlannedPrices extends PriceList {
  changes: PriceChange[];
  /** True when the list changes prices of the past. */
  isCorrection: boolean;
  /** The time of the event in milliseconds, which is after the present list was applied. */
  at: number;
}

/**
 * Checks a list against the tables, and compares it with the present list.
 * @throws InputError for a list with problems; PastPricesError for a list that changes prices of the past, unless
 * `isCorrection` is true.
 */
export async function planPrices(
  run: Run,
  given: GivenPriceList,
  { isCorrection, now = Date.now() }: { isCorrection: boolean; now?: number },
): Promise<PlannedPrices> {
  const clusters = await run<{ name: string }>(clusterNames());
  const list = requirePriceList(
    given,
    clusters.map(({ name }) => name),
  );
  const rows = await run<PriceView>(currentPrices());
  const before = presentList(rows);
  const change = changeOfPast(before, list, now);
  if (change !== null && !isCorrection)
    throw new PastPricesError(
      `the list changes prices of the past: ${change}; keep the periods of the past in the list, or apply it as a correction`,
    );
  const at = Math.max(now, ...rows.map(({ applied_at: last }) => Date.parse(last) + 1));
  return { ...list, changes: priceChanges(before, list), isCorrection: change !== null, at };
}

/** Records a list in the ledger; `by` names the user. @throws UnavailableError. */
export function applyPrices(
  { append }: Pick<LazyAppender, 'append'>,
  { currency, prices, isCorrection, at }: PlannedPrices,
  by: string,
): Promise<void> {
  return append([
    withDigest<PricesApplied>({
      id: `prices/${randomUUID()}`,
      type: 'prices.applied',
      source: REQUESTS_SOURCE,
      subject: ANY,
      time: new Date(at).toISOString(),
      data: { cluster: ANY, by, currency, prices: [...prices], ...(isCorrection && { correction: true }) },
    }),
  ]);
}

/** The list that the tables have; null before the first list. */
function presentList(rows: readonly PriceView[]): PriceList | null {
  const [first] = rows;
  return first === undefined ? null : { currency: first.currency, prices: rows.map(toPrice) };
}

function toPrice({
  resource,
  cluster,
  node_class: nodeClass,
  capacity_type: capacityType,
  per_hour: perHour,
  valid_from: from,
  valid_until: until,
}: PriceView): Price {
  return {
    resource,
    cluster,
    ...(nodeClass !== ANY && { nodeClass }),
    ...(capacityType !== ANY && { capacityType }),
    perHour: shortestDecimal(perHour),
    validFrom: new Date(from).toISOString(),
    ...(until !== null && { validUntil: new Date(until).toISOString() }),
  };
}
