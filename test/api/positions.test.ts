import * as fc from 'fast-check';
import type { PositionedRow } from '../../services/api/queries/new-events.ts';
import {
  positionsIn,
  positionsText,
  spansBehind,
  type Positions,
} from '../../services/api/stream/positions.ts';
import { toBatch } from '../../services/api/stream/read-on.ts';

const positions = fc
  .uniqueArray(fc.tuple(fc.nat(63), fc.bigInt(0n, 10n ** 15n)), {
    selector: ([partition]) => partition,
    minLength: 1,
  })
  .map((pairs): Positions => new Map(pairs));

describe('the positions in a cursor of the API', () => {
  it('are unchanged after they are written and read', () => {
    fc.assert(
      fc.property(positions, (given) => {
        expect(positionsIn(positionsText(given))).toEqual(new Map(given));
      }),
    );
  });

  it('are the beginning of the ledger when a reader has read nothing', () => {
    expect(positionsText(new Map())).toBe('0:0');
  });

  it('are the lower of two positions when a partition is named twice', () => {
    expect(positionsIn('0:2,1:5,0:1,0:3')).toEqual(
      new Map([
        [0, 1n],
        [1, 5n],
      ]),
    );
  });

  it.each(['', '0', '0:', ':1', '0:-1', '0:1;1:2', 'now', "0:1' or true --", '0:1,'])(
    'cannot be read from the value %j',
    (text) => {
      expect(positionsIn(text)).toBeUndefined();
    },
  );
});

/** A ledger of rows with arbitrary times, as their writers' clocks differ. */
const ledger = fc
  .array(fc.record({ partition: fc.nat(3), step: fc.nat(2), second: fc.nat(9) }), { maxLength: 60 })
  .map((records) => {
    const next = new Map<number, bigint>();
    return records.map(({ partition, step, second }) => {
      const offset = (next.get(partition) ?? 0n) + BigInt(step);
      next.set(partition, offset + 1n);
      return {
        kafka_partition: partition,
        kafka_offset: offset.toString(),
        id: `${partition}/${offset}`,
        time: `2026-04-01T00:00:0${second}.000Z`,
      } as unknown as PositionedRow;
    });
  });

/** The result of the statement: of each offset range, the first rows that pass the filter. */
function read(
  rows: readonly PositionedRow[],
  from: Positions,
  limit: number,
  lets: (row: PositionedRow) => boolean,
) {
  const ends = new Map<number, bigint>();
  for (const row of rows) ends.set(row.kafka_partition, BigInt(row.kafka_offset) + 1n);
  const spans = spansBehind(from, ends, 7n);
  const found = spans.flatMap(({ partition, first, beyond }) =>
    rows
      .filter((row) => row.kafka_partition === partition)
      .filter((row) => BigInt(row.kafka_offset) >= first && BigInt(row.kafka_offset) < beyond && lets(row))
      .slice(0, limit),
  );
  return { portion: toBatch(from, spans, found, limit), atEnd: spans.length === 0 };
}

describe('a reader that continues from the position of a stopped reader', () => {
  it('skips and repeats no event, and keeps the order of each partition, whichever event came last', () => {
    fc.assert(
      fc.property(
        ledger,
        fc.integer({ min: 1, max: 5 }),
        fc.nat(100),
        fc.nat(2),
        (rows, limit, stopAt, letsThrough) => {
          const lets = (row: PositionedRow): boolean => Number(row.kafka_offset) % 3 >= letsThrough;
          const got: string[] = [];
          let from: Positions = new Map();
          for (let turns = 0; turns < 1000; turns += 1) {
            const { portion, atEnd } = read(rows, from, limit, lets);
            if (atEnd) break;
            // The connection breaks once in the middle of a batch: the reader resumes with the id of its last event.
            const broke = got.length <= stopAt && stopAt < got.length + portion.events.length;
            const taken = broke ? portion.events.slice(0, stopAt - got.length + 1) : portion.events;
            got.push(...taken.map(({ event }) => event.id));
            const marked = broke ? taken.at(-1)?.positions : portion.next;
            from = positionsIn(positionsText(marked ?? from)) ?? from;
          }
          const wanted = rows.filter(lets).map(({ id }) => id);
          expect(got.toSorted()).toEqual(wanted.toSorted());
          for (const partition of [0, 1, 2, 3]) {
            const of = (ids: readonly string[]): string[] =>
              ids.filter((id) => id.startsWith(`${partition}/`));
            expect(of(got)).toEqual(of(wanted));
          }
        },
      ),
    );
  });
});
