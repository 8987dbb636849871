import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { registerExport } from '../../cli/verbs/export/export.ts';
import { openDirectory, openManifest, writeManifest } from '../../cli/verbs/export/tables/directory.ts';
import { CLUSTERS, EXPORTED, NOT_EXPORTED } from '../../cli/verbs/export/tables/exported-tables.ts';
import { areKept, outdatedFiles } from '../../cli/verbs/export/tables/kept-files.ts';
import {
  emptyManifest,
  type ExportedFile,
  type Snapshot,
  type TablesManifest,
} from '../../cli/verbs/export/tables/manifest.ts';
import { isOver, monthBounds } from '../../cli/verbs/export/tables/months.ts';
import { rowsPath, writeMonth } from '../../cli/verbs/export/tables/write-month.ts';
import { parquetTypeFor } from '../../services/adapters/parquet/parquet-type.ts';
import type { Run } from '../../services/adapters/postgres/database.ts';
import type { Statement } from '../../services/adapters/postgres/statement.ts';
import { relationsIn } from '../docs/columns.ts';

const LEDGER = { topic: 'jobledger.ledger', kafkaCluster: 'k1' };
const SNAPSHOT: Snapshot = { positions: [], horizon: null, eventsFrom: null };
const THEN = '2026-12-05T00:00:00.000Z';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-export-tables-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the exported tables', () => {
  it('are all tables and views of the schema except those about the projector', () => {
    const relations = relationsIn(readFileSync('services/projector/schema.sql', 'utf8'));
    expect([CLUSTERS, ...Object.keys(EXPORTED), ...NOT_EXPORTED].toSorted()).toEqual(
      relations.map(({ name }) => name).toSorted(),
    );
  });

  it('name columns of the schema', () => {
    const relations = relationsIn(readFileSync('services/projector/schema.sql', 'utf8'));
    for (const [name, { month, unchangedFrom }] of Object.entries(EXPORTED)) {
      const columns = relations.find((relation) => relation.name === name)?.columns.map((each) => each.name);
      for (const [, column] of `${month} ${unchangedFrom}`.matchAll(/\br\.(\w+)/g))
        expect(columns).toContain(column);
    }
  });
});

describe('the month of a row', () => {
  it('is never null', () => {
    const relations = relationsIn(readFileSync('services/projector/schema.sql', 'utf8'));
    const nullable = relations.flatMap(({ name, columns }) => {
      const month = EXPORTED[name]?.month ?? '';
      const last = /^r\.(\w+)$|, r\.(\w+)\)$/.exec(month);
      const column = columns.find((each) => each.name === (last?.[1] ?? last?.[2]));
      return column === undefined || column.isNotNull ? [] : [`${name}.${column.name}`];
    });
    // Columns of views, which the views compute from columns that are not null.
    expect(nullable).toEqual([
      'cron_job_decisions.recorded_at',
      'cron_runs.scheduled_at',
      'obstacles.first_at',
      'outcomes.recorded_at',
      'usage_hourly.hour',
    ]);
  });
});

describe('a month', () => {
  it('has the bounds of the calendar', () => {
    expect(monthBounds('2026-12')).toEqual({ from: '2026-12-01T00:00:00Z', until: '2027-01-01T00:00:00Z' });
    expect(monthBounds('2026-02')).toEqual({ from: '2026-02-01T00:00:00Z', until: '2026-03-01T00:00:00Z' });
  });

  it('is over a day after its end', () => {
    expect(isOver('2026-11', Date.parse('2026-12-01T23:59:59Z'))).toBe(false);
    expect(isOver('2026-11', Date.parse('2026-12-02T00:00:00Z'))).toBe(true);
  });

  it('has a directory in which the name of the cluster is escaped', () => {
    const table = { name: 'jobs', columns: [], description: { about: '', columns: [] } };
    const of = { cluster: '../a b/ü', month: '2026-11' };
    expect(rowsPath({ table, of })).toBe('jobs/cluster=..%2Fa%20b%2F%C3%BC/month=2026-11');
  });
});

describe('the arguments of an export of tables', () => {
  it.each([
    [['--format', 'parquet'], '--format parquet needs a directory: --out <dir>'],
    [['--format', 'csv', '--out', 'x'], "argument 'csv' is invalid. Allowed choices are ndjson, parquet."],
    [['--out', 'x'], '--out is an option of --format parquet, which exports tables'],
    [['--month', '2026-11'], '--month is an option of --format parquet'],
    [['pi', '--format', 'parquet', '--out', 'x'], 'exports tables, not single Jobs'],
    [['-n', 'a', '--format', 'parquet', '--out', 'x'], '--namespace does not apply to --format parquet'],
    [
      ['--ended-before', '2026-01-01T00:00:00Z', '--format', 'parquet', '--out', 'x'],
      '--ended-before does not',
    ],
    [['--manifest', '--format', 'parquet', '--out', 'x'], '--manifest does not apply to --format parquet'],
    [
      ['--tables', 'jobs,nope'],
      '--tables: "nope" is not a table that can be exported; available: clusters, jobs',
    ],
    [['--tables', 'positions'], '--tables: "positions" is not a table that can be exported'],
    [['--month', 'November'], '--month November: expected a month such as 2026-11'],
    [['--month', '2026-13'], '--month 2026-13: expected a month such as 2026-11'],
    [['--month', '9999-01'], '--month 9999-01: the month has not begun'],
  ])('are refused: %j', async (args, message) => {
    const program = new Command('jobledger').exitOverride().configureOutput({ writeErr: () => undefined });
    registerExport(program);
    program.commands[0]?.exitOverride();
    await expect(program.parseAsync(['export', ...args], { from: 'user' })).rejects.toThrow(message);
  });
});

describe('the directory of an export', () => {
  it('is made with the directories above it', () => {
    expect(openDirectory(join(folder, 'a/b')).path).toMatch(/\/a\/b$/);
  });

  it('is refused if it cannot be written', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => openDirectory(join(folder, 'file'))).toThrow(/--out .*\/file cannot be written: /);
    expect(() => openDirectory('/proc/export')).toThrow('--out /proc/export cannot be written: ');
  });

  it('is refused if it has other files', () => {
    writeFileSync(join(folder, 'notes.txt'), '');
    expect(() => openDirectory(folder)).toThrow('has files, but no manifest.json of an export');
    expect(readdirSync(folder)).toEqual(['notes.txt']);
  });

  it('is refused if it has the manifest of something else', () => {
    writeFileSync(join(folder, 'manifest.json'), '{"name":"my extension"}');
    expect(() => openManifest(openDirectory(folder), LEDGER)).toThrow(
      /manifest\.json is not the manifest of an export of this version; give another directory as --out: /,
    );
  });

  it('is refused if it has an export of another ledger', () => {
    const directory = openDirectory(folder);
    mkdirSync(directory.unfinished);
    writeManifest(directory, emptyManifest({ ...LEDGER, kafkaCluster: 'k2' }));
    expect(() => openManifest(directory, LEDGER)).toThrow(
      'has an export of another ledger (topic jobledger.ledger, Kafka cluster k2), but this ledger is the topic jobledger.ledger of the Kafka cluster k1: give another directory',
    );
  });
});

describe('an earlier file of an export', () => {
  function aFile(more: Partial<ExportedFile> = {}): ExportedFile {
    const path = 'jobs/cluster=east/month=2026-11/part-0.parquet';
    const place = { path, table: 'jobs', cluster: 'east', month: '2026-11' };
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), 'rows');
    const sha256 = createHash('sha256').update('rows').digest('hex');
    return { ...place, rows: 1, bytes: 4, sha256, complete: true, snapshot: THEN, ...more };
  }

  function aManifest(more: Partial<TablesManifest> = {}): TablesManifest {
    return { ...emptyManifest(LEDGER), snapshots: { [THEN]: SNAPSHOT }, ...more };
  }

  it('is kept if it is complete and intact', async () => {
    expect(await areKept(folder, aManifest(), [aFile()], SNAPSHOT)).toBe(true);
  });

  it('is replaced if it is damaged or missing', async () => {
    const file = aFile();
    writeFileSync(join(folder, file.path), 'Rows');
    expect(await areKept(folder, aManifest(), [file], SNAPSHOT)).toBe(false);
    rmSync(join(folder, file.path));
    expect(await areKept(folder, aManifest(), [file], SNAPSHOT)).toBe(false);
  });

  it('is replaced if its rows may have changed', async () => {
    expect(await areKept(folder, aManifest(), [aFile({ complete: false })], SNAPSHOT)).toBe(false);
  });

  it('is kept if the interrupted export has written it', async () => {
    const file = aFile({ complete: false });
    expect(await areKept(folder, aManifest({ unfinishedSince: THEN }), [file], SNAPSHOT)).toBe(true);
    const later = aManifest({ unfinishedSince: '2026-12-06T00:00:00.000Z' });
    expect(await areKept(folder, later, [file], SNAPSHOT)).toBe(false);
  });

  it('is kept if retention has removed rows of its month since', async () => {
    const file = aFile({ complete: false });
    const moved = { ...SNAPSHOT, horizon: '2026-11-10T00:00:00.000Z' };
    expect(await areKept(folder, aManifest(), [file], moved)).toBe(true);
    expect(outdatedFiles(aManifest({ files: [file] }), () => true, moved)).toEqual([]);
    const before = { ...SNAPSHOT, horizon: '2026-11-01T00:00:00.000Z' };
    expect(await areKept(folder, aManifest(), [file], before)).toBe(false);
    expect(await areKept(folder, aManifest({ snapshots: { [THEN]: moved } }), [file], moved)).toBe(false);
  });

  it('is kept if the events of its month were dropped, and it has events', async () => {
    const dropped = { ...SNAPSHOT, eventsFrom: '2026-12-01T00:00:00.000Z' };
    const file = aFile({ complete: false });
    expect(await areKept(folder, aManifest(), [file], dropped)).toBe(false);
    expect(await areKept(folder, aManifest(), [{ ...file, table: 'outcomes' }], dropped)).toBe(true);
  });

  it('cannot be replaced if it is damaged after retention has removed its rows', async () => {
    const file = aFile();
    writeFileSync(join(folder, file.path), 'Rows');
    const moved = { ...SNAPSHOT, horizon: '2026-11-10T00:00:00.000Z' };
    await expect(areKept(folder, aManifest(), [file], moved)).rejects.toThrow(
      'is missing or damaged, and retention has removed rows of its month from the tables: restore the file from a copy',
    );
  });
});

describe('the files of a month', () => {
  const AT = Date.parse('2026-12-05T00:00:00Z');
  const table = {
    name: 'jobs',
    columns: [{ name: 'name', type: parquetTypeFor('name', 'text') }],
    description: { about: '', columns: [] },
  };

  /** Stands for a database whose cursor has these rows; with `failing`, the cursor then fails. */
  function cursorOf(rows: readonly { c0: string; may_change: boolean }[], failing = false): Run {
    let at = 0;
    return <Row>({ text }: Statement): Promise<Row[]> => {
      const [, count] = /^fetch (\d+)/.exec(text) ?? [];
      if (count === undefined) return Promise.resolve([]);
      if (failing && at > 0) return Promise.reject(new Error('the connection broke'));
      at += Number(count);
      return Promise.resolve(rows.slice(at - Number(count), at) as Row[]);
    };
  }

  function rowsNamed(names: readonly string[], mayChange = false): { c0: string; may_change: boolean }[] {
    return names.map((name) => ({ c0: name, may_change: mayChange }));
  }

  function writeTo(run: Run, month = '2026-11'): Promise<ExportedFile[]> {
    const directory = { path: folder, unfinished: join(folder, '.unfinished') };
    mkdirSync(directory.unfinished, { recursive: true });
    return writeMonth(run, directory, { table, of: { cluster: 'east', month } }, AT);
  }

  it('are complete if the month is over and no row may change', async () => {
    const [complete] = await writeTo(cursorOf(rowsNamed(['a', 'b', 'c'])));
    expect(complete).toMatchObject({ rows: 3, complete: true, snapshot: '2026-12-05T00:00:00.000Z' });
    const [changing] = await writeTo(cursorOf(rowsNamed(['a'], true)));
    expect(changing).toMatchObject({ rows: 1, complete: false });
    const [present] = await writeTo(cursorOf(rowsNamed(['a'])), '2026-12');
    expect(present).toMatchObject({ complete: false });
  });

  it('replace the earlier files, also those of more parts', async () => {
    const month = join(folder, 'jobs/cluster=east/month=2026-11');
    mkdirSync(month, { recursive: true });
    for (const part of [0, 1]) writeFileSync(join(month, `part-${part}.parquet`), 'earlier');
    await writeTo(cursorOf(rowsNamed(['a'])));
    expect(readdirSync(month)).toEqual(['part-0.parquet']);
    expect(readFileSync(join(month, 'part-0.parquet'), 'latin1')).toMatch(/^PAR1/);
  });

  it('leave the earlier files as they are if the database fails', async () => {
    const month = join(folder, 'jobs/cluster=east/month=2026-11');
    mkdirSync(month, { recursive: true });
    writeFileSync(join(month, 'part-0.parquet'), 'earlier');
    await expect(writeTo(cursorOf(rowsNamed(['a', 'b']), true))).rejects.toThrow('the connection broke');
    expect(readFileSync(join(month, 'part-0.parquet'), 'utf8')).toBe('earlier');
  });

  it('are refused with their place if they cannot be written', async () => {
    writeFileSync(join(folder, 'jobs'), '');
    await expect(writeTo(cursorOf(rowsNamed(['a'])))).rejects.toThrow(
      /\/jobs\/cluster=east\/month=2026-11 cannot be written: E/,
    );
  });
});
