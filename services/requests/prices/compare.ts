import type { Price } from '../../../workflows/ledger/prices.ts';
import { ANY } from '../../adapters/places.ts';
import { priceName, type PriceList } from './price-list.ts';

/** One difference between two price lists. */
export interface PriceChange {
  change: 'added' | 'removed' | 'changed';
  /** The price in the older list; null for an added price. */
  before: ListedPrice | null;
  /** The price in the newer list; null for a removed price. */
  after: ListedPrice | null;
}

/** A price with the currency of its list. */
type ListedPrice = Price & { currency: string };

const keyOf = ({ resource, cluster, validFrom }: Price): string => `${resource} ${cluster} ${validFrom}`;

/** The differences of two lists, by resource, cluster and beginning. Without a list, `before` is null. */
export function priceChanges(before: PriceList | null, after: PriceList): PriceChange[] {
  const [older, newer] = [before, after].map(byKey) as [Map<string, ListedPrice>, Map<string, ListedPrice>];
  return [...new Set([...older.keys(), ...newer.keys()])].toSorted().flatMap((key): PriceChange[] => {
    const [was, is] = [older.get(key) ?? null, newer.get(key) ?? null];
    if (was === null) return [{ change: 'added', before: was, after: is }];
    if (is === null) return [{ change: 'removed', before: was, after: is }];
    const isSame =
      was.perHour === is.perHour && was.validUntil === is.validUntil && was.currency === is.currency;
    return isSame ? [] : [{ change: 'changed', before: was, after: is }];
  });
}

function byKey(list: PriceList | null): Map<string, ListedPrice> {
  const { currency = '', prices = [] } = list ?? {};
  return new Map(prices.map((price) => [keyOf(price), { ...price, currency }]));
}

/** The differences for a reader, as in the response of the API. */
export function shownChanges(changes: readonly PriceChange[]): ShownChange[] {
  return changes.map(({ change, before, after }) => {
    const { resource = '', cluster = '', validFrom = '' } = after ?? before ?? {};
    return {
      change,
      resource,
      cluster,
      valid_from: validFrom,
      before: shownPrice(before),
      after: shownPrice(after),
    };
  });
}

interface ShownPrice {
  per_hour: string;
  currency: string;
  valid_until: string | null;
}

/** A difference with the names that a reader knows from the tables. */
export interface ShownChange {
  change: PriceChange['change'];
  resource: string;
  cluster: string;
  valid_from: string;
  before: ShownPrice | null;
  after: ShownPrice | null;
}

function shownPrice(price: ListedPrice | null): ShownPrice | null {
  if (price === null) return null;
  const { perHour, currency, validUntil = null } = price;
  return { per_hour: perHour, currency, valid_until: validUntil };
}

/**
 * The first way in which a list would change the price of an hour before `now`, as text; null when every such hour
 * that has a price keeps it. Hours without a price may get one.
 */
export function changeOfPast(before: PriceList | null, after: PriceList, now: number): string | null {
  if (before === null) return null;
  const [older, newer] = [before, after].map(byResource) as [PricesByResource, PricesByResource];
  for (const [resource, pricesBefore] of older) {
    const pricesAfter = newer.get(resource) ?? [];
    const all = [...pricesBefore, ...pricesAfter];
    const instants = new Set(
      all.flatMap(({ validFrom, validUntil }) => [validFrom, validUntil ?? validFrom]),
    );
    const past = [...instants].filter((instant) => Date.parse(instant) < now).toSorted();
    const clusters = [...new Set([ANY, ...all.map(({ cluster }) => cluster)])];
    for (const instant of past)
      for (const cluster of clusters) {
        const was = priceAt({ prices: pricesBefore }, { resource, cluster, instant });
        if (was === null) continue;
        const is = priceAt({ prices: pricesAfter }, { resource, cluster, instant });
        if (is?.perHour === was.perHour && after.currency === before.currency) continue;
        const other = is === null ? 'have no price' : `cost ${is.perHour} ${after.currency}`;
        return `${priceName({ resource, cluster })} costs ${was.perHour} ${before.currency} at ${instant}, and would ${other}`;
      }
  }
  return null;
}

type PricesByResource = ReadonlyMap<string, readonly Price[]>;

function byResource({ prices }: PriceList): PricesByResource {
  return Map.groupBy(prices, ({ resource }) => resource);
}

/** The price of a resource in a cluster at an instant: the price of the cluster, or the price of every cluster. */
export function priceAt(
  { prices }: Pick<PriceList, 'prices'>,
  { resource, cluster, instant }: { resource: string; cluster: string; instant: string },
): Price | null {
  const valid = prices.filter(
    (price) =>
      price.resource === resource &&
      price.validFrom <= instant &&
      (price.validUntil === undefined || instant < price.validUntil),
  );
  return (
    valid.find((price) => price.cluster === cluster) ?? valid.find((price) => price.cluster === ANY) ?? null
  );
}
