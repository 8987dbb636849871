import type { Price } from '../../../workflows/ledger/prices.ts';
import { ANY } from '../../adapters/places.ts';
import { priceName, type PricedThing, type PriceList } from './price-list.ts';

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

const keyOf = (price: Price): string => [price.resource, placeOf(price), price.validFrom].join(' ');

/** The differences of two lists, by resource, cluster, nodes and beginning. Without a list, `before` is null. */
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
    const {
      resource = '',
      cluster = '',
      nodeClass = ANY,
      capacityType = ANY,
      validFrom = '',
    }: Partial<Price> = after ?? before ?? {};
    return {
      change,
      resource,
      cluster,
      node_class: nodeClass,
      capacity_type: capacityType,
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
  node_class: string;
  capacity_type: string;
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
    const things = distinctThings(all);
    for (const instant of past) {
      const [validBefore, validAfter] = [validAt(pricesBefore, instant), validAt(pricesAfter, instant)];
      for (const thing of things) {
        const was = priceOf(validBefore, thing);
        if (was === null) continue;
        const is = priceOf(validAfter, thing);
        if (is?.perHour === was.perHour && after.currency === before.currency) continue;
        const other = is === null ? 'have no price' : `cost ${is.perHour} ${after.currency}`;
        return `${priceName(thing)} costs ${was.perHour} ${before.currency} at ${instant}, and would ${other}`;
      }
    }
  }
  return null;
}

/** Every combination of the clusters, classes and capacity types of the prices of a resource, the most general first. */
function distinctThings(prices: readonly Price[]): PricedThing[] {
  const [first] = prices;
  if (first === undefined) return [];
  const clusters = new Set([ANY, ...prices.map(({ cluster }) => cluster)]);
  const classes = new Set([undefined, ...prices.map(({ nodeClass }) => nodeClass)]);
  const types = new Set([undefined, ...prices.map(({ capacityType }) => capacityType)]);
  return [...clusters].flatMap((cluster) =>
    [...classes].flatMap((nodeClass) =>
      [...types].map((capacityType) => ({
        resource: first.resource,
        cluster,
        ...(nodeClass !== undefined && { nodeClass }),
        ...(capacityType !== undefined && { capacityType }),
      })),
    ),
  );
}

type PricesByResource = ReadonlyMap<string, readonly Price[]>;

function byResource({ prices }: PriceList): PricesByResource {
  return Map.groupBy(prices, ({ resource }) => resource);
}

/**
 * The price of a resource in a cluster, on a node of a class and a capacity type, at an instant. A price of the cluster
 * comes first, then a price of the class, then a price of the capacity type.
 */
export function priceAt(
  { prices }: Pick<PriceList, 'prices'>,
  { instant, ...thing }: PricedThing & { instant: string },
): Price | null {
  const ofResource = prices.filter(({ resource }) => resource === thing.resource);
  return priceOf(validAt(ofResource, instant), thing);
}

/** The prices of one resource that are valid at an instant, by cluster and nodes. */
function validAt(prices: readonly Price[], instant: string): ReadonlyMap<string, Price> {
  const valid = prices.filter(
    ({ validFrom, validUntil }) => validFrom <= instant && (validUntil === undefined || instant < validUntil),
  );
  return new Map(valid.map((price) => [placeOf(price), price]));
}

function priceOf(valid: ReadonlyMap<string, Price>, thing: Omit<PricedThing, 'resource'>): Price | null {
  for (const cluster of new Set([thing.cluster, ANY]))
    for (const nodeClass of new Set([thing.nodeClass ?? ANY, ANY]))
      for (const capacityType of new Set([thing.capacityType ?? ANY, ANY])) {
        const price = valid.get(placeOf({ cluster, nodeClass, capacityType }));
        if (price !== undefined) return price;
      }
  return null;
}

function placeOf({ cluster, nodeClass = ANY, capacityType = ANY }: Omit<PricedThing, 'resource'>): string {
  return [cluster, nodeClass, capacityType].join(' ');
}
