import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLUSTERS, EXPORTED } from '../../cli/verbs/export/tables/exported-tables.ts';
import { parquetTypeFor } from '../../services/adapters/parquet/parquet-type.ts';
import { createParquetFile, type WrittenFile } from '../../services/adapters/parquet/parquet-file.ts';
import { relationsIn } from '../docs/columns.ts';
import { openDuckDb, type DuckDb } from '../support/duckdb.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-parquet-'));
let duckdb: DuckDb;

beforeAll(async () => {
  duckdb = await openDuckDb(folder);
});
afterAll(() => {
  duckdb.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a file with one column. */
function write(name: string, column: string, type: string, texts: readonly (string | null)[]): WrittenFile {
  const file = createParquetFile(join(folder, name), [{ name: column, type: parquetTypeFor(column, type) }]);
  for (const text of texts) file.add([text]);
  return file.finish();
}

/** The texts of the column as DuckDB reads them, and the type that DuckDB sees. */
async function read(name: string): Promise<{ type: string; texts: (string | null)[] }> {
  const [described] = await duckdb.rows(`describe from '${name}'`);
  const rows = await duckdb.rows(`from '${name}'`);
  return {
    type: described?.['column_type'] ?? '',
    texts: rows.map((row) => Object.values(row)[0] ?? null),
  };
}

describe('a column of a Parquet file', () => {
  it.each([
    ['text', 'name', 'VARCHAR', ['pi', '', null, 'größe 😀', '\uFFFF', 'x'.repeat(100_000)]],
    ['boolean', 'deleted', 'BOOLEAN', ['true', null, 'false']],
    ['smallint', 'type_version', 'INTEGER', ['-32768', '32767']],
    ['integer', 'failed', 'INTEGER', ['-2147483648', null, '2147483647']],
    ['bigint', 'kafka_offset', 'BIGINT', ['-9223372036854775808', '9223372036854775807', null]],
    ['numeric', 'resource_version', 'DECIMAL(38,0)', ['1000000000000000000000000000123', null, '0']],
    ['jsonb', 'data', 'JSON', ['{"a": 9007199254740993.10}', null, '[1, "ü", {}]', 'null', '"x"']],
  ])('has each value of the type %s', async (type, column, expected, texts) => {
    write(`${type}.parquet`, column, type, texts);
    expect(await read(`${type}.parquet`)).toEqual({ type: expected, texts });
  });

  it.each([
    ['numeric', 'cpu_request_cores', 'DECIMAL(38,12)', [['100000000000', '0.100000000000'] as const]],
    ['numeric(12,2)', 'price', 'DECIMAL(38,2)', [['-1234', '-12.34'] as const]],
    ['interval', 'late_by', 'BIGINT', [['-1500000', '-1500000'] as const]],
    [
      'timestamp with time zone',
      'seen_at',
      'TIMESTAMP WITH TIME ZONE',
      [
        ['0', '1970-01-01 00:00:00+00'],
        ['1796081408123456', '2026-11-30 23:30:08.123456+00'],
        ['253402300799999000', '9999-12-31 23:59:59.999+00'],
      ] as const,
    ],
  ])('has the scaled values of the type %s', async (type, column, expected, values) => {
    write(`${column}.parquet`, column, type, [...values.map(([text]) => text), null]);
    expect(await read(`${column}.parquet`)).toEqual({
      type: expected,
      texts: [...values.map(([, shown]) => shown), null],
    });
  });

  it('has a counterpart for each type of an exported table', () => {
    const relations = relationsIn(readFileSync('services/projector/schema.sql', 'utf8'));
    const full = (type: string): string => type.replace('timestamptz', 'timestamp with time zone');
    const exported = relations.filter(({ name }) => name === CLUSTERS || name in EXPORTED);
    expect(exported.length).toBeGreaterThan(20);
    for (const { name, columns } of exported)
      for (const column of columns)
        expect(() => parquetTypeFor(`${name}.${column.name}`, full(column.type))).not.toThrow();
  });

  it('is refused with its name if its type has no counterpart', () => {
    expect(() => parquetTypeFor('jobs.place', 'point')).toThrow('the column jobs.place has the type point');
  });
});

describe('a Parquet file', () => {
  it('reports its rows, its bytes and its digest', () => {
    const written = write('digest.parquet', 'name', 'text', ['a', 'b']);
    const bytes = readFileSync(join(folder, 'digest.parquet'));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(written).toEqual({ rows: 2, bytes: bytes.length, sha256 });
  });

  it('has several row groups, each of bounded size', async () => {
    const [rows, text] = [70_000, 'x'.repeat(1000)];
    write(
      'groups.parquet',
      'name',
      'text',
      Array.from({ length: rows }, (_each, at) => `${at} ${text}`),
    );
    const groups = await duckdb.rows(
      `select row_group_id as id, any_value(row_group_num_rows) as number from parquet_metadata('groups.parquet') group by id order by id`,
    );
    expect(groups.length).toBeGreaterThan(5);
    expect(Math.max(...groups.map(({ number }) => Number(number)))).toBeLessThan(10_000);
    expect(
      await duckdb.rows(
        `select count(distinct name) as names, sum(length(name)) > 0 as some from 'groups.parquet'`,
      ),
    ).toEqual([{ names: String(rows), some: 'true' }]);
  });

  it('is not written over another file', () => {
    write('once.parquet', 'name', 'text', []);
    expect(() => write('once.parquet', 'name', 'text', [])).toThrow('EEXIST');
  });
});
