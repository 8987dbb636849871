import { describe, expect, it } from '@jest/globals';
import { assert, integer, property, uniqueArray } from 'fast-check';
import type { JobEvent } from '../../workflows/job/events.ts';
import { keysOf, lastDecisionsOf, type Key } from '../../services/projector/projections/keys.ts';
import { project } from '../../services/projector/projections/project.ts';
import {
  changedRows,
  find,
  load,
  emptyRows,
  putMissing,
  type Rows,
  type Staged,
} from '../../services/projector/projections/rows.ts';
import { textOfKey } from '../../services/projector/tables/table.ts';
import { aStory } from './story.ts';

/** What a database does between two batches: keep whole rows, and return only those requested by key. */
function projectInBatches(batches: JobEvent[][]): Rows {
  const stored = emptyRows();
  for (const batch of batches) {
    const keys = keysOf(batch);
    const rows = emptyRows();
    take(rows.clusters, stored.clusters, keys.clusters);
    take(rows.jobs, stored.jobs, keys.jobs);
    take(rows.pods, stored.pods, keys.pods);
    take(rows.creations, stored.creations, keys.creations);
    take(rows.decisions, stored.decisions, [...keys.decisions, ...lastDecisionsOf(rows.jobs.rows.values())]);
    take(rows.commands, stored.commands, keys.commands);
    for (const event of batch) project(rows, event);
    load(stored.clusters, changedRows(rows.clusters));
    load(stored.jobs, changedRows(rows.jobs));
    load(stored.pods, changedRows(rows.pods));
    load(stored.creations, changedRows(rows.creations));
    load(stored.decisions, changedRows(rows.decisions));
    load(stored.commands, changedRows(rows.commands));
    putMissing(stored.conditions, changedRows(rows.conditions));
    putMissing(stored.statuses, changedRows(rows.statuses));
    putMissing(stored.gaps, changedRows(rows.gaps));
  }
  return stored;
}

function take<Row>(into: Staged<Row>, from: Staged<Row>, keys: Key[]): void {
  load(
    into,
    keys.flatMap((key) => find(from, ...key) ?? []),
  );
}

function contentOf(rows: Rows): unknown {
  return Object.values(rows).map((each: { rows: Map<string, unknown> }) =>
    [...each.rows].toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

/** Splits a list at random places. */
function cut<T>(list: readonly T[], places: readonly number[]): T[][] {
  const ends = [...new Set([...places, list.length])].toSorted((a, b) => a - b);
  return ends.map((end, index) => list.slice(ends[index - 1] ?? 0, end));
}

function texts(keys: Key[]): string[] {
  return keys.map(textOfKey);
}

describe('any batching of a stream', () => {
  it('gives the same rows', () => {
    const story = aStory();
    const whole = projectInBatches([story]);
    assert(
      property(uniqueArray(integer({ min: 1, max: story.length - 1 })), (places) => {
        const rows = projectInBatches(cut(story, places));
        expect(contentOf(rows)).toEqual(contentOf(whole));
      }),
    );
  });

  it('names every row that an event may change', () => {
    for (const event of aStory()) {
      const rows = emptyRows();
      project(rows, event);
      const keys = keysOf([event]);
      expect(texts(keys.pods)).toEqual(expect.arrayContaining([...rows.pods.changed]));
      expect(texts(keys.creations)).toEqual(expect.arrayContaining([...rows.creations.changed]));
    }
  });
});
