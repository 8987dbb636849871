import { z } from 'zod';
import type { Price } from '../../../workflows/ledger/prices.ts';
import { InputError } from '../../adapters/errors.ts';
import { ANY } from '../../adapters/places.ts';
import { unknownClusterText } from '../../read-model/queries/clusters.ts';

/** A list of prices as a person writes it. */
export type GivenPriceList = z.infer<typeof PRICE_LIST>;

/** A price list: the prices of its only currency, each with its whole period. */
export interface PriceList {
  /** An ISO 4217 code. */
  currency: string;
  prices: readonly Price[];
}

/** The most prices of a list, because a list is one record of the ledger. */
const MOST_PRICES = 2000;
/** The most classes and capacity types of nodes in a list, because each combination is compared with the list before. */
const MOST_CLASSES = 100;
const MOST_CAPACITY_TYPES = 10;

const INSTANT =
  'must be an instant with its time zone at the beginning of an hour in UTC from 1970 to 9999, such as 2026-12-01T00:00:00Z';

const instant = z.iso.datetime({ offset: true, error: INSTANT });

const CURRENCY = 'must be the code of a currency by ISO 4217 in capital letters, such as EUR';
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

function perHourError(given: string): string {
  return given.startsWith('-')
    ? 'must not be negative'
    : 'must be a decimal number with at most 9 digits before the point and 12 after it, such as 0.031; write a number of more than 15 digits in quotes';
}

/** The value of a label. */
const LABEL_VALUE = /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;

const price = z.strictObject(
  {
    resource: z
      .string()
      .max(253)
      .regex(
        /^(?:cpu|memory|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)$/,
        'must be cpu (priced by core), memory (priced by GiB), or the full name of an extended resource, such as nvidia.com/gpu',
      )
      .describe(
        'cpu (the price of a core), memory (of a GiB), or the name of an extended resource (of one), such as nvidia.com/gpu',
      ),
    cluster: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe(
        'The name of the cluster; without it, the price is for every cluster that has no price of its own for the resource',
      ),
    node_class: z
      .string()
      .regex(LABEL_VALUE, 'must be an instance type or a GPU product, as the label of the nodes has it')
      .optional()
      .describe(
        'The class of the nodes: their instance type or, where the cluster names none, their GPU product; without it, the price is for every node that has no price of its class',
      ),
    capacity_type: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/, 'must be in lower case, such as spot or on-demand')
      .optional()
      .describe(
        'The capacity type of the nodes, such as spot or on-demand; without it, the price is for every node that has no price of its capacity type',
      ),
    per_hour: z
      .string()
      .regex(/^\d{1,9}(?:\.\d{1,12})?$/, { error: ({ input }) => perHourError(String(input)) })
      .describe('The price of an hour, as a decimal number'),
    valid_from: instant.describe('The beginning of the period of the price: the beginning of an hour in UTC'),
    valid_until: instant
      .optional()
      .describe(
        'The end of the period, which is not part of it; without it, the next price of the resource in the cluster ends the period',
      ),
  },
  {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys' && keys.includes('currency')
        ? 'a list has one currency: write the field currency once, above prices'
        : undefined,
  },
);

/** The schema of a list as a person gives it; `requirePriceList` checks the rest. */
export const PRICE_LIST = z
  .strictObject({
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, CURRENCY)
      .describe('The currency of all prices, as an ISO 4217 code'),
    prices: z.array(price).min(1, 'must have at least one price').max(MOST_PRICES),
  })
  .meta({
    id: 'PriceList',
    examples: [
      {
        currency: 'EUR',
        prices: [{ resource: 'cpu', per_hour: '0.031', valid_from: '2026-12-01T00:00:00Z' }],
      },
    ],
  });

/**
 * The list in a value that was read from a YAML or JSON file, where a price may be a number.
 * @throws InputError with every problem.
 */
export function priceListIn(value: unknown): GivenPriceList {
  const read = PRICE_LIST.safeParse(withTexts(value));
  if (read.success) return read.data;
  throw new InputError(
    read.error.issues.map(({ path, message }) => `${pathText(path)}: ${message}`).join('; '),
  );
}

/** The value with the prices of an hour as texts. A number of at most 15 digits is the number that the person wrote. */
function withTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('prices' in value) || !Array.isArray(value.prices))
    return value;
  return {
    ...value,
    prices: value.prices.map((each: unknown): unknown =>
      typeof each === 'object' && each !== null && 'per_hour' in each && typeof each.per_hour === 'number'
        ? { ...each, per_hour: numberText(each.per_hour) }
        : each,
    ),
  };
}

const EXACT_DIGITS = 15;

function numberText(number: number): string {
  const text = String(number);
  return text.replaceAll(/^0\.0*|\D/g, '').length > EXACT_DIGITS ? `${text} is not exact` : text;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.length === 0
    ? 'the list'
    : path
        .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
        .join('');
}

/**
 * Checks a list as a whole, and adds the ends of its periods. `clusters` are the clusters that were ever connected.
 * @throws InputError with every problem.
 */
export function requirePriceList(
  { currency, prices: given }: GivenPriceList,
  clusters: readonly string[],
): PriceList {
  const problems = [
    ...(CURRENCIES.has(currency) ? [] : [`currency: ${CURRENCY}`]),
    ...tooMany('node_class', given, MOST_CLASSES),
    ...tooMany('capacity_type', given, MOST_CAPACITY_TYPES),
    ...given.flatMap((each, at) =>
      priceProblems(each, clusters).map((problem) => `prices[${at}].${problem}`),
    ),
  ];
  const prices = given.map((each, at) => ({ at, price: toPrice(each) }));
  const closed = Map.groupBy(prices, ({ price: each }) => priceName(each))
    .values()
    .flatMap((group) => withEnds(group, problems))
    .toArray();
  if (problems.length > 0) throw new InputError(problems.join('; '));
  return { currency, prices: closed };
}

/** The problem of more different values of a field than are allowed, if there is one. */
function tooMany(
  field: 'node_class' | 'capacity_type',
  given: readonly GivenPrice[],
  most: number,
): string[] {
  const count = new Set(given.flatMap((each) => each[field] ?? [])).size;
  return count > most ? [`prices: ${count} different values of ${field}; at most ${most} are possible`] : [];
}

/** The problems of one price that its schema does not show, each with its field. */
function priceProblems(given: GivenPrice, clusters: readonly string[]): string[] {
  const { cluster = ANY } = given;
  const instants = (['valid_from', 'valid_until'] as const).filter((field) => {
    const time = Date.parse(given[field] ?? START_OF_HOUR);
    return time % HOUR_MS !== 0 || time < 0 || time > LATEST_MS;
  });
  return [
    ...(cluster === ANY || clusters.includes(cluster)
      ? []
      : [`cluster: ${unknownClusterText(cluster, clusters)}`]),
    ...instants.map((field) => `${field}: ${INSTANT}`),
  ];
}

const HOUR_MS = 3_600_000;
const START_OF_HOUR = '1970-01-01T00:00:00Z';
/** The last hour that the tables can store. */
const LATEST_MS = Date.parse('9999-12-31T23:00:00Z');

interface NumberedPrice {
  /** The place in the given list. */
  at: number;
  price: Price;
}

function toPrice({
  resource,
  cluster = ANY,
  node_class: nodeClass,
  capacity_type: capacityType,
  per_hour: perHour,
  valid_from: from,
  valid_until: until,
}: GivenPrice): Price {
  return {
    resource,
    cluster,
    ...(nodeClass !== undefined && { nodeClass }),
    ...(capacityType !== undefined && { capacityType }),
    perHour: shortestDecimal(perHour),
    validFrom: new Date(from).toISOString(),
    ...(until !== undefined && { validUntil: new Date(until).toISOString() }),
  };
}

type GivenPrice = GivenPriceList['prices'][number];

/** The decimal number without needless zeros, so that equal prices are equal texts. */
export function shortestDecimal(text: string): string {
  const short = text.includes('.') ? text.replace(/\.?0{1,12}$/, '') : text;
  return short.replace(/^0+(?=\d)/, '');
}

/** The prices of one resource in one cluster and on the same nodes in order, each with the end of its period. */
function withEnds(group: readonly NumberedPrice[], problems: string[]): Price[] {
  const sorted = group.toSorted((a, b) => a.price.validFrom.localeCompare(b.price.validFrom));
  return sorted.map(({ at, price: each }, place) => {
    const next = sorted[place + 1];
    const where = `the price of ${priceName(each)} from ${each.validFrom}`;
    if (each.validUntil !== undefined && each.validUntil <= each.validFrom)
      problems.push(`prices[${at}].valid_until: ${where} must end after it begins`);
    if (next === undefined) return each;
    if (next.price.validFrom === each.validFrom)
      problems.push(`prices[${next.at}]: ${where} is also prices[${at}]: remove one of them`);
    else if (each.validUntil !== undefined && each.validUntil > next.price.validFrom)
      problems.push(
        `prices[${at}].valid_until: ${where} overlaps prices[${next.at}], which begins at ${next.price.validFrom}: leave valid_until out, or write at most this instant`,
      );
    return { ...each, validUntil: each.validUntil ?? next.price.validFrom };
  });
}

/** The resource, the nodes and the cluster of a price as text, which differs for prices that may overlap. */
export function priceName({ resource, cluster, nodeClass, capacityType }: PricedThing): string {
  const nodes = [capacityType, nodeClass].filter((each) => each !== undefined).join(' ');
  const onNodes = nodes === '' ? '' : ` on ${nodes} nodes`;
  return `${resource}${onNodes} in ${cluster === ANY ? 'every cluster' : cluster}`;
}

/** What has a price: a resource in a cluster on nodes. */
export type PricedThing = Pick<Price, 'resource' | 'cluster' | 'nodeClass' | 'capacityType'>;
