import { describe, expect, it } from '@jest/globals';
import { assert, constantFrom, double, oneof, property } from 'fast-check';
import type { JobEvent } from '../../workflows/job/events.ts';
import { toTimestamp, instantAt } from '../../services/projector/projections/instants.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import { monthAfter } from '../../services/projector/months.ts';
import {
  aJob,
  answered,
  anEndedPod,
  clusterGap,
  createPods,
  decided,
  jobObserved,
  podObserved,
  podsCreated,
} from './builders.ts';

const LATEST = '9999-12-31T23:59:59.999Z';
const EARLIEST = '1970-01-01T00:00:00.000Z';
const STORABLE = /^(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Any number that JSON can contain, and some that it cannot. */
const numbers = oneof(
  double(),
  double({ min: -1e17, max: 1e17 }),
  constantFrom(0, -1, 8.64e15, 8.64e15 + 1, -8.64e15 - 1, 253402300799999, 253402300800000, -62135596800001),
);

/** One event of every kind with numeric instants, with this one in all of these fields. */
function eventsWith(number: number): JobEvent[] {
  const decision = decided(2, 1, { commands: [createPods('pi-a')] });
  const outcome = { ...podsCreated(3, 'pi-a'), at: number };
  const ended = anEndedPod({
    name: 'pi-a',
    version: 9,
    exitCode: 1,
    endedAt: 5,
    metadata: { deletionTimestamp: '2026-04-01T00:00:00Z', deletionGracePeriodSeconds: number },
  });
  return [
    jobObserved(1, aJob({ version: 1 })),
    {
      ...decision,
      data: { ...decision.data, now: Number.isFinite(number) ? number : 0, nextDecisionAt: number },
    } as JobEvent,
    answered(3, 'decision-1', 0, outcome),
    podObserved(4, ended),
    clusterGap(1, 2),
  ];
}

/** Every value of a column that is an instant. */
function instantsIn(events: readonly JobEvent[]): [string, unknown][] {
  const rows = emptyRows();
  projectAll(rows, events);
  return Object.values(rows).flatMap(
    (staged: {
      table: { name: string; columns: Record<string, { sql: string }> };
      changed: Map<string, unknown>;
    }) => {
      const columns = Object.entries(staged.table.columns).filter(([, { sql }]) => sql === 'timestamptz');
      return [...staged.changed.values()].flatMap((row) =>
        columns.map(([column]): [string, unknown] => [
          `${staged.table.name}.${column}`,
          (row as Record<string, unknown>)[column],
        ]),
      );
    },
  );
}

describe('an instant in an event', () => {
  it.each([
    [1e15, LATEST],
    [Infinity, LATEST],
    [253402300800000, LATEST],
    [253402300799999, LATEST],
    [-1e15, EARLIEST],
    [-Infinity, EARLIEST],
    [0, EARLIEST],
    [1, '1970-01-01T00:00:00.001Z'],
    [-1, EARLIEST],
    [NaN, null],
    ['soon', null],
    [null, null],
    [undefined, null],
  ])(
    'is stored as a timestamp from 1970 to 9999, or as null: %p milliseconds since 1970 are %p',
    (milliseconds, stored) => {
      expect(instantAt(milliseconds)).toBe(stored);
    },
  );

  it.each([
    ['0000-01-01T00:00:00Z', EARLIEST],
    ['1969-12-31T23:59:59Z', EARLIEST],
    ['1970-01-02T00:00:00Z', '1970-01-02T00:00:00.000Z'],
    ['2026-02-29T00:00:00Z', '2026-03-01T00:00:00.000Z'],
    ['+033658-09-27T01:46:40.000Z', LATEST],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['no instant', null],
  ])('is stored as a timestamp from 1970 to 9999, or as null: the text %s is %p', (text, stored) => {
    expect(toTimestamp(text)).toBe(stored);
  });

  it('can be stored in Postgres in any field of any event', () => {
    assert(
      property(numbers, (number) => {
        const instants = instantsIn(eventsWith(number));
        expect(instants.length).toBeGreaterThan(30);
        const unstorable = instants.filter(
          ([, value]) => value !== null && !(typeof value === 'string' && STORABLE.test(value)),
        );
        expect(unstorable).toEqual([]);
      }),
    );
  });
});

describe('the next month of a month', () => {
  it('is later than this month, also for December 9999', () => {
    expect(monthAfter('2026-12-01')).toBe('2027-01-01');
    expect(monthAfter('9999-12-01') > '9999-12-01').toBe(true);
  });
});
