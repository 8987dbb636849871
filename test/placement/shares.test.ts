import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { toPlaces, computeShares } from '../../workflows/placement/decide/spread/shares.ts';

const room = (cluster: string, pods: number, price = 0) => ({ cluster, room: pods, price });

describe('the shares of the clusters (J-17.2)', () => {
  it.each<[string, Parameters<typeof computeShares>, Record<string, number>]>([
    ['by room', ['room', [room('a', 30), room('b', 20), room('c', 10)], 300], { a: 150, b: 100, c: 50 }],
    ['by room, without a cluster that is full', ['room', [room('a', 9), room('b', 0)], 6], { a: 6 }],
    ['by room, in equal parts where all are full', ['room', [room('a', 0), room('b', 0)], 3], { a: 2, b: 1 }],
    [
      'by room, where one is not known: as the largest',
      ['room', [room('a', Infinity), room('b', 10)], 4],
      { a: 2, b: 2 },
    ],
    ['even', ['even', [room('a', 30), room('b', 1), room('c', 10)], 8], { a: 3, b: 3, c: 2 }],
    [
      'by price, as far as there is room',
      ['price', [room('a', 30, 3), room('b', 5, 1), room('c', 4, 2)], 12],
      { b: 5, c: 4, a: 3 },
    ],
    [
      'by price, with the rest in the cheapest',
      ['price', [room('a', 2, 2), room('b', 2, 1)], 9],
      { a: 2, b: 7 },
    ],
    ['nowhere', ['room', [], 9], {}],
  ])('follow the criterion and the room: %s', (_how, [by, places, parallelism], shares) => {
    expect(computeShares(by, places, parallelism)).toEqual(shares);
  });

  it('add up to the parallelism, whatever room and price each cluster has', () => {
    const places = fc.array(fc.record({ pods: fc.nat(50), price: fc.nat(5) }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        fc.constantFrom('room', 'even', 'price'),
        places,
        fc.integer({ min: 1, max: 500 }),
        (by, all, parallelism) => {
          const shares = computeShares(
            by,
            all.map(({ pods, price }, at) => room(`c${at}`, pods, price)),
            parallelism,
          );
          expect(Object.values(shares).reduce((sum, pods) => sum + pods, 0)).toBe(parallelism);
          expect(Object.values(shares).every((pods) => pods > 0)).toBe(true);
        },
      ),
    );
  });

  it("count the Job's own pods as room, in the ten best clusters", () => {
    const ranked = Array.from({ length: 12 }, (_none, at) => ({ cluster: `c${at}`, room: 1 }));
    const places = toPlaces(ranked, new Map([['c0', 4]]));
    expect(places).toHaveLength(10);
    expect(places[0]?.room).toBe(5);
  });
});
