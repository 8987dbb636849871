import { describe, expect, it } from '@jest/globals';
import { assert, asyncProperty, integer, uniqueArray } from 'fast-check';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { projectStored } from '../../services/projector/projections/project-stored.ts';
import { visitTables } from '../../services/projector/projections/rows.ts';
import { keyText, textOfKey, type Key } from '../../services/projector/statements.ts';
import { type Table } from '../../services/read-model/tables/table.ts';
import { aCronJobLife } from './cron-job-life.ts';
import { aStory } from './story.ts';

type Stored = Map<string, Map<string, unknown>>;

/** What a database does between two batches: keep whole rows, and give back only those that are asked for by key. */
async function projectInBatches(batches: LedgerEvent[][]): Promise<Stored> {
  const stored: Stored = new Map();
  const rowsIn = <Row>({ name }: Table<Row>): Map<string, Row> => {
    if (!stored.has(name)) stored.set(name, new Map());
    return stored.get(name) as Map<string, Row>;
  };
  const load = <Row>(table: Table<Row>, keys: readonly Key[]): Promise<Row[]> =>
    Promise.resolve(keys.flatMap((key) => rowsIn(table).get(textOfKey(key)) ?? []));
  for (const batch of batches) {
    await visitTables(await projectStored(batch, load), ({ table, changed }) => {
      for (const row of changed.values()) {
        const isKept = table.isAppendOnly === true && rowsIn(table).has(keyText(table, row));
        if (!isKept) rowsIn(table).set(keyText(table, row), row);
      }
      return Promise.resolve();
    });
  }
  return stored;
}

function sortedContent(stored: Stored): unknown {
  const byKey = <Value>(map: Map<string, Value>): [string, Value][] =>
    [...map].toSorted(([a], [b]) => a.localeCompare(b));
  return byKey(stored).map(([name, rows]) => [name, byKey(rows)]);
}

/** Splits a list at random places. */
function cut<T>(list: readonly T[], places: readonly number[]): T[][] {
  const ends = [...new Set([...places, list.length])].toSorted((a, b) => a - b);
  return ends.map((end, index) => list.slice(ends[index - 1] ?? 0, end));
}

describe('the rows of a stream that is projected in several batches', () => {
  it('equal the rows of one batch, wherever the batches end', async () => {
    const story = [...aStory(), ...aCronJobLife()];
    const whole = await projectInBatches([story]);
    expect([...whole.values()].every(({ size }) => size > 0)).toBe(true);
    await assert(
      asyncProperty(uniqueArray(integer({ min: 1, max: story.length - 1 })), async (places) => {
        const rows = await projectInBatches(cut(story, places));
        expect(sortedContent(rows)).toEqual(sortedContent(whole));
      }),
    );
  });
});
