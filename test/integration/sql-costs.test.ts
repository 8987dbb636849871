import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { pause } from '../../services/adapters/waiting/pause.ts';
import { countStaleUsage } from '../../services/projector/keep-usage.ts';
import { readUsage } from '../../services/read-model/queries/usage.ts';
import { USAGE_GROUPINGS, type UsageView } from '../../services/read-model/views/usage.ts';
import { priceAt } from '../../services/requests/prices/compare.ts';
import { requirePriceList } from '../../services/requests/prices/price-list.ts';
import type { Price } from '../../workflows/ledger/prices.ts';
import { aJob, aPod, CLUSTER, jobObserved, podObserved, START } from '../projector/builders.ts';
import { randomPodLife, type PodLife } from '../projector/pod-lives.ts';
import { pricesApplied } from '../projector/price-lists.ts';
import { aGrowingLedger, emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';
import { seededRandom } from '../support/random.ts';

jest.setTimeout(120_000);

const [HOUR_MS, GIB] = [3_600_000, 2 ** 30];
/** The first full hour of the story. */
const FIRST_HOUR = Math.ceil(START / HOUR_MS);
/** The costs of the independent sum are counted in these parts, because prices have 12 decimals and cores 3. */
const PARTS = 10n ** 15n;

let postgres: RealPostgres;
let database: Database;
let project: ReturnType<typeof aGrowingLedger>;

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(async () => {
  await emptied(database);
  project = aGrowingLedger(database);
});

function randomLives(count: number, chance: () => number): PodLife[] {
  return Array.from({ length: count }, (_, at) => randomPodLife(at, chance)).filter(({ isOpen }) => !isOpen);
}

/** A price from an hour of the story on. */
function priceFrom(hour: number, resource: string, perHour: string, cluster?: string) {
  const valid_from = new Date((FIRST_HOUR + hour) * HOUR_MS).toISOString();
  return { resource, per_hour: perHour, valid_from, ...(cluster !== undefined && { cluster }) };
}

function listOf(...prices: ReturnType<typeof priceFrom>[]): Price[] {
  return [...requirePriceList({ currency: 'EUR', prices }, [CLUSTER, 'west']).prices];
}

/** Prices that begin at random hours, some of them of the cluster only and some with an end. */
function randomPrices(chance: () => number): Price[] {
  const given = ['cpu', 'memory', 'nvidia.com/gpu'].flatMap((resource) =>
    ['*', CLUSTER, 'west'].flatMap((cluster) => {
      const hours = new Set(
        Array.from({ length: 1 + Math.floor(chance() * 4) }, () => Math.floor(chance() * 30) - 2),
      );
      return [...hours].map((hour) => ({
        ...priceFrom(hour, resource, (chance() * 3).toFixed(12), cluster),
        ...(chance() < 0.2 && {
          valid_until: new Date((FIRST_HOUR + hour + 1) * HOUR_MS).toISOString(),
        }),
      }));
    }),
  );
  return listOf(...given);
}

/** The cost × 3600 and its lower bound, by hour. */
type Costs = Record<string, [bigint, bigint]>;

/** The independent sum over the recorded instants, exact, by the hour in which the node was held. */
function costsOf(lives: readonly PodLife[], prices: readonly Price[]): Costs {
  const costs: Costs = {};
  for (const { from, until, atLeast, cores, bytes, gpus } of lives.flatMap(({ periods }) => periods))
    for (let second = from; second < until; second += 1) {
      const hour = new Date(Math.floor((START + second * 1000) / HOUR_MS) * HOUR_MS).toISOString();
      const cost = Object.entries({ cpu: cores, memory: bytes / GIB, 'nvidia.com/gpu': gpus }).map(
        ([resource, amount]) => {
          const price = priceAt({ prices }, { resource, cluster: CLUSTER, instant: hour });
          return price === null ? null : BigInt(amount * 1000) * inParts(price.perHour);
        },
      );
      const priced = cost.filter((each) => each !== null).reduce((sum, each) => sum + each, 0n);
      if (cost.every((each) => each === null)) continue;
      const [sum, atLeastSum] = costs[hour] ?? [0n, 0n];
      costs[hour] = [sum + priced, atLeastSum + (second < atLeast ? priced : 0n)];
    }
  return costs;
}

/** A price in parts of 10^-12. */
function inParts(perHour: string): bigint {
  const [whole = '', decimals = ''] = perHour.split('.');
  return BigInt(whole + decimals.padEnd(12, '0'));
}

/** The costs × 3600 by hour, exact. */
function exactCosts(relation: 'attempt_hours' | 'ended_usage'): Promise<Costs> {
  return costsInSql(relation, 'cost_seconds', 'cost_seconds_at_least', PARTS);
}

/** The costs × 3600 by hour in coarser parts, because the view divides by 3600. */
async function usageCosts(): Promise<Costs> {
  return costsInSql('usage_hourly', 'cost * 3600', 'cost_at_least * 3600', PARTS / COARSE);
}

const COARSE = 10n ** 5n;

function coarse(costs: Costs): Costs {
  const rounded = (cost: bigint): bigint => (cost + COARSE / 2n) / COARSE;
  return Object.fromEntries(
    Object.entries(costs).map(([hour, [cost, least]]) => [hour, [rounded(cost), rounded(least)]]),
  );
}

async function costsInSql(relation: string, cost: string, least: string, parts: bigint): Promise<Costs> {
  const rows = await database.run<{ hour: string; cost: string; at_least: string }>({
    text: `select hour, round(sum(${cost}) * ${parts})::text as cost, round(sum(${least}) * ${parts})::text as at_least
      from jobledger.${relation} group by hour having sum(${cost}) is not null`,
    values: [],
  });
  return Object.fromEntries(rows.map((row) => [row.hour, [BigInt(row.cost), BigInt(row.at_least)]]));
}

const aJobOfLives = () => jobObserved(0, aJob({ version: 1 }));

describe('the costs of attempts', () => {
  it.each([1, 2, 3])('equal the exact sum over random lives and random prices, seed %i', async (seed) => {
    const chance = seededRandom(seed);
    const [lives, prices] = [randomLives(60, chance), randomPrices(chance)];
    await project([aJobOfLives(), ...lives.flatMap(({ events }) => events), pricesApplied(0, prices)]);
    const expected = costsOf(lives, prices);
    expect(Object.keys(expected).length).toBeGreaterThan(10);
    expect(await exactCosts('attempt_hours')).toEqual(expected);
    expect(await usageCosts()).toEqual(coarse(expected));
    await countStaleUsage(database);
    expect(await exactCosts('ended_usage')).toEqual(expected);
    expect(await usageCosts()).toEqual(coarse(expected));
  });

  it('follow a new list from the first hour that it changes, and no hour before is counted again', async () => {
    const chance = seededRandom(9);
    const lives = randomLives(60, chance);
    const present = listOf(priceFrom(-2, 'cpu', '0.5'), priceFrom(-2, 'memory', '0.1'));
    await project([aJobOfLives(), ...lives.flatMap(({ events }) => events), pricesApplied(0, present)]);
    await countStaleUsage(database);
    const next = listOf(
      priceFrom(-2, 'cpu', '0.50'),
      priceFrom(20, 'cpu', '0.7'),
      priceFrom(-2, 'memory', '0.1'),
      priceFrom(25, 'memory', '0.2', CLUSTER),
    );
    await project([pricesApplied(100, next)]);
    const [stale] = await database.run<{ first: string; ended: number }>(
      sql`select min(u.hour) as first, count(distinct s.hour)::integer as ended from jobledger.stale_usage s
        join jobledger.ended_usage u on u.ended_in = s.hour and u.hour = s.hour`,
    );
    expect(stale?.ended).toBeGreaterThan(2);
    expect(Date.parse(stale?.first ?? '')).toBeGreaterThanOrEqual((FIRST_HOUR + 20) * HOUR_MS);
    expect(await usageCosts()).toEqual(coarse(costsOf(lives, next)));
    await countStaleUsage(database);
    expect(await usageCosts()).toEqual(coarse(costsOf(lives, next)));
  });

  it('follow a list that is applied while an hour is counted', async () => {
    const lives = randomLives(30, seededRandom(10));
    const [older, newer] = [listOf(priceFrom(-2, 'cpu', '0.5')), listOf(priceFrom(-2, 'cpu', '0.7'))];
    await project([aJobOfLives(), ...lives.flatMap(({ events }) => events), pricesApplied(0, older)]);
    let applied: Promise<void> | undefined;
    await countStaleUsage({
      run: database.run,
      transaction: (work) =>
        database.transaction(async (run) => {
          const result = await work(run);
          applied ??= project([pricesApplied(100, newer)]);
          await pause(100, new AbortController().signal);
          return result;
        }),
    });
    await applied;
    await countStaleUsage(database);
    expect(await usageCosts()).toEqual(coarse(costsOf(lives, newer)));
  });

  it('are those of the list that was applied last, in whatever order the lists arrive', async () => {
    const chance = seededRandom(11);
    const lives = randomLives(20, chance);
    const [older, newer] = [randomPrices(chance), randomPrices(chance)];
    await project([aJobOfLives(), ...lives.flatMap(({ events }) => events), pricesApplied(50, newer)]);
    await countStaleUsage(database);
    await project([pricesApplied(10, older)]);
    expect(await usageCosts()).toEqual(coarse(costsOf(lives, newer)));
    const lists = sql`select distinct applied_at from jobledger.prices`;
    expect(await database.run(lists)).toHaveLength(1);
    expect(await database.run(sql`select distinct event_id from jobledger.applied_prices`)).toHaveLength(2);
  });

  it('are null without prices, and follow the deletion of the prices', async () => {
    const lives = randomLives(20, seededRandom(12));
    await project([aJobOfLives(), ...lives.flatMap(({ events }) => events)]);
    const unpriced = sql`select count(*)::integer as hours, count(cost)::integer as priced from jobledger.usage_hourly`;
    const [before] = await database.run<{ hours: number; priced: number }>(unpriced);
    expect(before?.hours).toBeGreaterThan(5);
    expect(before?.priced).toBe(0);
    await project([pricesApplied(0, listOf(priceFrom(-2, 'cpu', '1')))]);
    await countStaleUsage(database);
    const [after] = await database.run<{ hours: number; priced: number }>(unpriced);
    expect(after).toEqual({ hours: before?.hours, priced: before?.hours });
    await database.run(sql`delete from jobledger.applied_prices`);
    await countStaleUsage(database);
    expect(await database.run(unpriced)).toEqual([before]);
  });

  it('of one attempt are its share of the hours, in the view attempts', async () => {
    const chance = seededRandom(13);
    const [lives, prices] = [randomLives(40, chance), randomPrices(chance)];
    await project([aJobOfLives(), ...lives.flatMap(({ events }) => events), pricesApplied(0, prices)]);
    const rows = await database.run<{ pod_uid: string; cost: string; at_least: string }>(
      sql`select pod_uid, round(cost, 9)::text as cost, round(cost_at_least, 9)::text as at_least
        from jobledger.attempts where cost is not null`,
    );
    const expected = lives.flatMap((life): [string, string[]][] => {
      const costs = Object.values(costsOf([life], prices));
      const sums = [0, 1].map((at) => costs.reduce((sum, each) => sum + (each[at] ?? 0n), 0n));
      const texts = sums.map((sum) => (Number(sum) / 3600 / Number(PARTS)).toFixed(9));
      return costs.length === 0 ? [] : [[life.uid, texts]];
    });
    expect(expected.length).toBeGreaterThan(10);
    expect(new Map(rows.map((row) => [row.pod_uid, [row.cost, row.at_least]]))).toEqual(new Map(expected));
  });
});

describe('the usage by a property', () => {
  const summed = (rows: readonly UsageView[]): string =>
    rows.reduce((sum, { cost }) => sum + Number(cost ?? 0), 0).toFixed(3);

  it('has the sum of the costs and hours in the hours of the period, whatever the property', async () => {
    const chance = seededRandom(21);
    const [lives, prices] = [randomLives(60, chance), randomPrices(chance)];
    await project([aJobOfLives(), ...lives.flatMap(({ events }) => events), pricesApplied(0, prices)]);
    const costs = Object.entries(costsOf(lives, prices)).toSorted(([a], [b]) => a.localeCompare(b));
    const [from, before] = [costs[3]?.[0] ?? '', costs.at(-2)?.[0] ?? ''];
    const inside = costs.filter(([hour]) => hour >= from && hour < before);
    const expected = (
      inside.reduce((sum, [, [cost]]) => sum + Number(cost), 0) /
      Number(PARTS) /
      3600
    ).toFixed(3);
    // A period within hours is that of the whole hours.
    const period = { from: Date.parse(from) + 1, before: Date.parse(before) - 1, limit: 500 };
    const totals = [];
    for (const by of USAGE_GROUPINGS) {
      const usage = await readUsage(database.run, { ...period, by });
      expect(usage).toMatchObject({ from, before, currency: 'EUR' });
      expect(summed(usage.items)).toBe(expected);
      expect(Number(usage.total.cost).toFixed(3)).toBe(expected);
      expect(usage.items.reduce((sum, { pod_hours: hours }) => sum + hours, 0)).toBeCloseTo(
        usage.total.pod_hours,
        6,
      );
      totals.push(usage.total);
    }
    expect(new Set(totals.map((total) => JSON.stringify(total))).size).toBe(1);
    const { items } = await readUsage(database.run, { ...period, by: 'hour' });
    const hours = items.map(({ value }) => value ?? '');
    expect(hours).toEqual(hours.toSorted((one, other) => one.localeCompare(other)));
    expect(hours.length).toBeGreaterThan(5);
  });

  it('reads only the hours of the period, also of many pods that hold nodes for a year', async () => {
    const since = new Date(Date.now() - 365 * 24 * HOUR_MS).toISOString();
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: since };
    const pods = Array.from({ length: 300 }, (_, number) =>
      aPod({
        name: `p${number}`,
        version: 1,
        metadata: { creationTimestamp: since },
        status: { conditions: [scheduled] },
      }),
    );
    await project([aJobOfLives(), ...pods.map((pod) => podObserved(10, pod))]);
    const start = performance.now();
    const before = Date.now();
    const usage = await readUsage(database.run, {
      from: before - 24 * HOUR_MS,
      before,
      by: 'team',
      limit: 5,
    });
    expect(usage.total.pod_hours).toBeGreaterThan(24 * 300);
    // All hours of the pods would take more than half a minute.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('has the currency of the prices that the places include', async () => {
    await project([pricesApplied(0, listOf(priceFrom(-2, 'cpu', '0.5', 'west')))]);
    const currencyIn = async (cluster: string): Promise<string | null> => {
      const filter = { from: START, before: START + HOUR_MS, by: 'team', limit: 5 } as const;
      return (await readUsage(database.run, filter, [{ cluster, namespace: 'default' }])).currency;
    };
    expect(await currencyIn('west')).toBe('EUR');
    expect(await currencyIn(CLUSTER)).toBeNull();
  });

  it('is what the places include, and has a sum of nothing elsewhere', async () => {
    const lives = randomLives(20, seededRandom(22));
    await project([aJobOfLives(), ...lives.flatMap(({ events }) => events)]);
    const ofAll = { from: 0, before: START + 365 * 24 * HOUR_MS, by: 'namespace', limit: 500 } as const;
    const whole = await readUsage(database.run, ofAll);
    expect(whole).toMatchObject({ currency: null, total: { cost: null } });
    expect(whole.total.pod_hours).toBeGreaterThan(0);
    const [namespace] = whole.items.map(({ value }) => value ?? '');
    const within = (cluster: string, name: string) =>
      readUsage(database.run, ofAll, [{ cluster, namespace: name }]);
    expect(await within(CLUSTER, namespace ?? '')).toEqual(whole);
    expect(await within(CLUSTER, 'other')).toMatchObject({ items: [], total: { pod_hours: 0, watched: 1 } });
    expect(await within('other', '*')).toMatchObject({ items: [], total: { pod_hours: 0 } });
    expect(await readUsage(database.run, { ...ofAll, team: 'unknown' })).toMatchObject({ items: [] });
  });
});
