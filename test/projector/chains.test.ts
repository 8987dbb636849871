import { describe, expect, it } from '@jest/globals';
import { projectAll } from '../../services/projector/projections/project.ts';
import { projectStored } from '../../services/projector/projections/project-stored.ts';
import { emptyRows, type Rows } from '../../services/projector/projections/rows.ts';
import { keyText, textOfKey } from '../../services/projector/statements.ts';
import { type Table } from '../../services/read-model/tables/table.ts';
import type { ChainRow } from '../../services/read-model/tables/chains.ts';
import { aRecording, type Recording } from '../history/a-recording.ts';
import { at, type JobFields } from '../support/builders.ts';

const AFTER = 'jobledger.dev/after';

function chained(after: string, fields: JobFields = {}): Recording {
  const recording = aRecording();
  recording.job(0, { suspend: true, annotations: { [AFTER]: after }, ...fields });
  return recording;
}

function rowsAfter({ events }: Recording): ChainRow[] {
  const rows = emptyRows();
  projectAll(rows, events);
  return [...rows.chains.changed.values()];
}

const extract = { name: 'extract', uid: 'uid-of-extract' };
const complete = { ...extract, end: { type: 'Complete' as const, reason: 'Why', at: at(5) } };

describe('the row of a Job that waits for other Jobs', () => {
  it('has a condition for each awaited Job, with its present state', () => {
    const recording = chained('extract, check=Finished, other=Failed');
    recording.awaits(1, complete);
    recording.awaits(1, { name: 'check', since: at(0) });
    expect(rowsAfter(recording)).toMatchObject([
      {
        namespace: 'default',
        job_name: 'pi',
        status: 'waiting',
        cycle: null,
        conditions: [
          {
            job: 'extract',
            uid: 'uid-of-extract',
            end: 'Succeeded',
            status: 'met',
            since: '2026-03-01T12:00:05.000Z',
          },
          {
            job: 'check',
            uid: null,
            end: 'Finished',
            status: 'missing',
            since: '2026-03-01T12:00:00.000Z',
          },
          { job: 'other', uid: null, end: 'Failed', status: 'unknown', since: null },
        ],
      },
    ]);
  });

  it('names the cycle that contains the Job', () => {
    const recording = chained('extract');
    recording.awaits(1, { ...extract, waitsFor: ['pi'] });
    expect(rowsAfter(recording)).toMatchObject([{ cycle: 'pi → extract → pi' }]);
  });

  it('retains the conditions as they were when the Job was resumed', () => {
    const recording = chained('extract');
    recording.awaits(1, complete);
    recording.job(6, { suspend: false });
    recording.awaits(7, { ...complete, gone: true });
    recording.job(8, { suspend: true });
    expect(rowsAfter(recording)).toMatchObject([
      {
        status: 'resumed',
        resumed_at: '2026-03-01T12:00:06.000Z',
        conditions: [{ job: 'extract', status: 'met' }],
        awaited: {},
      },
    ]);
  });

  it('has the conditions of the annotation after the annotation is changed or removed', () => {
    const recording = chained('extract');
    recording.awaits(1, complete);
    recording.job(2, { annotations: { [AFTER]: 'check' } });
    expect(rowsAfter(recording)).toMatchObject([
      { conditions: [{ job: 'check', status: 'unknown' }], awaited: {} },
    ]);
    recording.job(3, { annotations: {} });
    expect(rowsAfter(recording)).toMatchObject([{ conditions: [] }]);
  });

  it('shows that the Job was deleted while it waited', () => {
    const recording = chained('extract');
    recording.jobGone(3);
    expect(rowsAfter(recording)).toMatchObject([{ status: 'deleted' }]);
  });

  it.each([
    ['is not suspended', 'extract', { suspend: false }],
    ['has an invalid annotation', 'extract=Done', {}],
  ])('is absent for a Job that %s', (_words, after, fields) => {
    expect(rowsAfter(chained(after, fields))).toEqual([]);
  });

  it('is the same when each event is projected alone onto the stored row', async () => {
    const recording = chained('extract, check');
    recording.awaits(1, { ...extract, waitsFor: ['check'] });
    recording.awaits(2, { name: 'check', since: at(0) });
    recording.awaits(3, complete);
    recording.job(6, { suspend: false });
    const stored = new Map<string, unknown>();
    const load = <Row>(table: Table<Row>, keys: readonly (readonly (string | number)[])[]): Promise<Row[]> =>
      Promise.resolve(
        keys.flatMap((key) => (stored.get(`${table.name} ${textOfKey(key)}`) as Row | undefined) ?? []),
      );
    const keep = <Row>({ table, changed }: { table: Table<Row>; changed: Map<string, Row> }): void => {
      for (const row of changed.values()) stored.set(`${table.name} ${keyText(table, row)}`, row);
    };
    for (const event of recording.events) {
      const rows: Rows = await projectStored([event], load);
      keep(rows.jobs);
      keep(rows.chains);
    }
    expect([...stored].filter(([key]) => key.startsWith('chains')).map(([, row]) => row)).toEqual(
      rowsAfter(recording),
    );
  });
});
