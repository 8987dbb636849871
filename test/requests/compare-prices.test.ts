import { describe, expect, it } from '@jest/globals';
import { changeOfPast, priceAt, priceChanges } from '../../services/requests/prices/compare.ts';
import { requirePriceList, type PriceList } from '../../services/requests/prices/price-list.ts';
import { seededRandom } from '../support/random.ts';

type Entry = [
  resource: string,
  price: string,
  from: string,
  cluster?: string | undefined,
  nodes?: { node_class?: string; capacity_type?: string },
];

function listOf(entries: readonly Entry[], currency = 'EUR'): PriceList {
  const prices = entries.map(([resource, price, from, cluster, nodes]) => ({
    resource,
    per_hour: price,
    valid_from: `${from}T00:00:00Z`,
    ...(cluster !== undefined && { cluster }),
    ...nodes,
  }));
  return requirePriceList({ currency, prices }, ['east', 'west']);
}

const NOW = Date.parse('2026-12-15T00:00:00Z');
const PRESENT = listOf([
  ['cpu', '0.03', '2026-12-01'],
  ['cpu', '0.05', '2026-12-01', 'west'],
]);

describe('a new price list', () => {
  it('is compared in a moment, also with thousands of resources that have different periods', () => {
    const entries = Array.from({ length: 2000 }, (_, number): Entry => {
      const from = new Date(NOW - (number + 1) * 86_400_000).toISOString().slice(0, 10);
      return [`example.com/r${number}`, '1', from];
    });
    const start = performance.now();
    expect(changeOfPast(listOf(entries), listOf(entries), NOW)).toBeNull();
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('shows each difference from the present list', () => {
    const list = listOf([
      ['cpu', '0.030', '2026-12-01'],
      ['cpu', '0.02', '2027-01-01'],
      ['memory', '0.004', '2026-12-01'],
    ]);
    expect(
      priceChanges(PRESENT, list).map(({ change, before, after }) => [
        change,
        before?.perHour,
        before?.validUntil,
        after?.perHour,
        after?.validUntil,
      ]),
    ).toEqual([
      ['changed', '0.03', undefined, '0.03', '2027-01-01T00:00:00.000Z'],
      ['added', undefined, undefined, '0.02', undefined],
      ['removed', '0.05', undefined, undefined, undefined],
      ['added', undefined, undefined, '0.004', undefined],
    ]);
    expect(priceChanges(list, list)).toEqual([]);
    expect(priceChanges(null, PRESENT).map(({ change }) => change)).toEqual(['added', 'added']);
  });

  it.each<[string, Entry[]]>([
    ['ends a price in the future', [['cpu', '0.02', '2027-01-01']]],
    ['gives a resource a price for past hours without one', [['memory', '0.004', '2026-01-01']]],
    ['begins the same price once more', [['cpu', '0.03', '2026-12-10']]],
  ])('keeps the past when it %s', (_what, more) => {
    const list = listOf([['cpu', '0.03', '2026-12-01'], ['cpu', '0.05', '2026-12-01', 'west'], ...more]);
    expect(changeOfPast(PRESENT, list, NOW)).toBeNull();
  });

  it.each<[string, Entry[], string]>([
    [
      'another price',
      [
        ['cpu', '0.04', '2026-12-01'],
        ['cpu', '0.05', '2026-12-01', 'west'],
      ],
      'cpu in every cluster costs 0.03 EUR at 2026-12-01T00:00:00.000Z, and would cost 0.04 EUR',
    ],
    [
      'no price',
      [
        ['cpu', '0.03', '2026-12-14'],
        ['cpu', '0.05', '2026-12-01', 'west'],
      ],
      'cpu in every cluster costs 0.03 EUR at 2026-12-01T00:00:00.000Z, and would have no price',
    ],
    [
      'the price of every cluster',
      [['cpu', '0.03', '2026-12-01']],
      'cpu in west costs 0.05 EUR at 2026-12-01T00:00:00.000Z, and would cost 0.03 EUR',
    ],
    [
      'a price of a cluster',
      [
        ['cpu', '0.03', '2026-12-01'],
        ['cpu', '0.05', '2026-12-01', 'west'],
        ['cpu', '0.06', '2026-12-14', 'east'],
      ],
      'cpu in east costs 0.03 EUR at 2026-12-14T00:00:00.000Z, and would cost 0.06 EUR',
    ],
  ])('would change the past when a past hour gets %s', (_what, entries, message) => {
    expect(changeOfPast(PRESENT, listOf(entries), NOW)).toBe(message);
  });

  it('would change the past when the nodes of a capacity type get a price of their own from a past hour on', () => {
    const list = (from: string): PriceList =>
      listOf([
        ['cpu', '0.03', '2026-12-01'],
        ['cpu', '0.05', '2026-12-01', 'west'],
        ['cpu', '0.01', from, undefined, { capacity_type: 'spot' }],
      ]);
    expect(changeOfPast(PRESENT, list('2026-12-14'), NOW)).toBe(
      'cpu on spot nodes in every cluster costs 0.03 EUR at 2026-12-14T00:00:00.000Z, and would cost 0.01 EUR',
    );
    expect(changeOfPast(PRESENT, list('2026-12-16'), NOW)).toBeNull();
    expect(
      priceChanges(PRESENT, list('2026-12-16')).map(({ change, after }) => [change, after?.capacityType]),
    ).toEqual([['added', 'spot']]);
  });

  it('is compared in a moment, also with a hundred classes of nodes whose prices change often', () => {
    const entries = Array.from({ length: 2000 }, (_, number): Entry => {
      const from = new Date(NOW - (number + 1) * 86_400_000).toISOString().slice(0, 10);
      return [
        'cpu',
        '1',
        from,
        undefined,
        { node_class: `m${number % 100}`, capacity_type: `t${number % 10}` },
      ];
    });
    const start = performance.now();
    expect(changeOfPast(listOf(entries), listOf(entries), NOW)).toBeNull();
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('would change the past in another currency', () => {
    const list = listOf(
      [
        ['cpu', '0.03', '2026-12-01'],
        ['cpu', '0.05', '2026-12-01', 'west'],
      ],
      'USD',
    );
    expect(changeOfPast(PRESENT, list, NOW)).toBe(
      'cpu in every cluster costs 0.03 EUR at 2026-12-01T00:00:00.000Z, and would cost 0.03 USD',
    );
  });

  it('changes the past exactly when an hour of the past with a price gets another one', () => {
    const chance = seededRandom(4);
    const day = (): string => `2026-12-${String(1 + Math.floor(chance() * 28)).padStart(2, '0')}`;
    const entry = (): Entry => [
      chance() < 0.5 ? 'cpu' : 'memory',
      chance() < 0.7 ? '1' : '2',
      day(),
      chance() < 0.4 ? 'west' : undefined,
    ];
    const randomList = (): PriceList => {
      const entries = Array.from({ length: 1 + Math.floor(chance() * 4) }, entry);
      const distinct = new Map(entries.map((each) => [[each[0], each[2], each[3]].join(' '), each]));
      return listOf([...distinct.values()]);
    };
    const hours = Array.from({ length: 14 * 24 }, (_, at) =>
      new Date(Date.parse('2026-12-01T00:00:00Z') + at * 3_600_000).toISOString(),
    );
    const found = [true, false].map(() => 0);
    for (let round = 0; round < 200; round += 1) {
      const [before, after] = [randomList(), randomList()];
      const differs = ['cpu', 'memory'].some((resource) =>
        ['*', 'west', 'east'].some((cluster) =>
          hours.some((instant) => {
            const was = priceAt(before, { resource, cluster, instant });
            return was !== null && was.perHour !== priceAt(after, { resource, cluster, instant })?.perHour;
          }),
        ),
      );
      expect(changeOfPast(before, after, NOW) !== null).toBe(differs);
      found[differs ? 1 : 0] = (found[differs ? 1 : 0] ?? 0) + 1;
    }
    expect(Math.min(...found)).toBeGreaterThan(10);
  });
});

describe('the price of a resource on a node', () => {
  const list = listOf([
    ['cpu', '1', '2026-12-01'],
    ['cpu', '2', '2026-12-01', undefined, { capacity_type: 'spot' }],
    ['cpu', '3', '2026-12-01', undefined, { node_class: 'm5' }],
    ['cpu', '4', '2026-12-01', undefined, { node_class: 'm5', capacity_type: 'spot' }],
    ['cpu', '5', '2026-12-01', 'west', { capacity_type: 'spot' }],
  ]);

  it.each([
    ['east', undefined, undefined, '1'],
    ['east', 'c5', 'on-demand', '1'],
    ['east', 'c5', 'spot', '2'],
    ['east', 'm5', 'on-demand', '3'],
    ['east', 'm5', 'spot', '4'],
    ['west', 'm5', 'spot', '5'],
    ['west', 'm5', 'on-demand', '3'],
  ])(
    'in %s, of the class %s and the capacity type %s, is that of the closest match',
    (cluster, nodeClass, capacityType, price) => {
      const thing = {
        resource: 'cpu',
        cluster,
        ...(nodeClass !== undefined && { nodeClass }),
        ...(capacityType !== undefined && { capacityType }),
      };
      expect(priceAt(list, { ...thing, instant: '2026-12-05T00:00:00.000Z' })?.perHour).toBe(price);
    },
  );
});
