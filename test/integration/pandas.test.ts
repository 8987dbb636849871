import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { pythonEnvironment } from '../../infra/release/clients/python-environment.ts';
import { parquetTypeFor } from '../../services/adapters/parquet/parquet-type.ts';
import { createParquetFile } from '../../services/adapters/parquet/parquet-file.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-pandas-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The columns of the files, each with a value as Postgres gives it, and the type and the value in pandas. */
const COLUMNS = [
  ['namespace', 'text', 'größe', 'str', "'größe'"],
  ['status', 'text', 'Failed', 'str', "'Failed'"],
  ['deleted', 'boolean', 'true', 'bool', 'True'],
  ['failed', 'integer', '7', 'int32', '7'],
  ['generation', 'bigint', '9007199254740993', 'int64', '9007199254740993'],
  ['cpu', 'numeric', '100000000', 'object', "Decimal('0.100000000')"],
  ['resource_version', 'numeric', `1${'0'.repeat(29)}1`, 'object', `Decimal('1${'0'.repeat(29)}1')`],
  [
    'seen_at',
    'timestamp with time zone',
    '1796081408123456',
    'datetime64[us, UTC]',
    "Timestamp('2026-11-30 23:30:08.123456+0000', tz='UTC')",
  ],
  ['late_by', 'interval', '1500000', 'int64', '1500000'],
  ['data', 'jsonb', '{"a": 9007199254740993.10}', 'object', `'{"a": 9007199254740993.10}'`],
] as const;

for (const cluster of ['east', '7']) {
  const month = join(folder, 'history', 'jobs', `cluster=${cluster}`, 'month=2026-11');
  mkdirSync(month, { recursive: true });
  const columns = COLUMNS.map(([name, type]) => ({ name, type: parquetTypeFor(name, type) }));
  const file = createParquetFile(join(month, 'part-0.parquet'), columns);
  file.add(COLUMNS.map(([, , text]) => text));
  file.finish();
}

/** The interpreter; null, with the reason on standard error, when Python or its package index is missing: the tests are then skipped. */
function pandas(): string | null {
  try {
    return pythonEnvironment(join(PACKAGE_DIR, 'build', 'pandas'), 'pandas[parquet]');
  } catch (error) {
    process.stderr.write(`skipped: ${String(error)}\n`);
    return null;
  }
}

const python = pandas();
const test = python === null ? it.skip : it;

/** Runs the program of docs/parquet.md, and then more lines, in the directory with the export. */
function runAfterPage(lines: string): string {
  const [, program = ''] = /```python\n([^`]+)```/.exec(readFileSync('docs/parquet.md', 'utf8')) ?? [];
  return execFileSync(python ?? '', ['-c', `${program}\n${lines}`], { cwd: folder, encoding: 'utf8' });
}

function expectCounts(): void {
  expect(runAfterPage('')).toMatch(/7 +größe +Failed +1\neast +größe +Failed +1\n/);
}

function expectTypes(): void {
  const lines = runAfterPage(
    'for name in jobs.columns[:10]: print(name, jobs[name].dtype, repr(jobs[name].tolist()[0]), sep="\\t")',
  ).split('\n');
  for (const [name, , , type, value] of COLUMNS) expect(lines).toContain(`${name}\t${type}\t${value}`);
}

describe('pandas', () => {
  test('runs the program of docs/parquet.md, also with a cluster whose name is a number', expectCounts);
  test('reads each type as docs/parquet.md says', expectTypes);
});
