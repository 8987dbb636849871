import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { copyOfTree } from '../support/earlier-build.ts';

/** The files that have a table of all kinds, which a new kind must join. */
const TABLES = [
  'services/adapters/config.ts',
  'services/adapters/events/event-types.ts',
  'services/ingester/translate/recorded-objects.ts',
  'services/projector/projections/events.ts',
  'services/projector/projections/project.ts',
  'services/read-model/streams/stream-locations.ts',
  'workflows/cores/cores-of-kind.ts',
  'workflows/history/placements/verify-placements.ts',
  'workflows/history/timeline/narrator.ts',
  'workflows/history/verify/verify-stream.ts',
  'workflows/kinds.ts',
  'workflows/ledger-event.ts',
];

/** The line of the new kind in the list of kinds. */
const LIST = 'workflows/ledger-event.ts';
const LINE = '  ObservedJob: ObservedJobTypes;\n';

let root: string;

/** Adds a kind whose Jobs are only observed to a copy of the source tree: its folder, and its line in the list. */
beforeAll(() => {
  root = copyOfTree();
  const types = readFileSync(join(PACKAGE_DIR, 'test', 'kinds', 'observed-job', 'types.ts'), 'utf8');
  mkdirSync(join(root, 'workflows', 'observed-job'));
  writeFileSync(
    join(root, 'workflows', 'observed-job', 'types.ts'),
    types.replaceAll('../../../workflows/', '../'),
  );
  const list = readFileSync(join(root, LIST), 'utf8');
  const end = list.indexOf('}\n', list.indexOf('export interface KindTypes {'));
  const changed = `import type { ObservedJobTypes } from './observed-job/types.ts';\n${list.slice(0, end)}${LINE}${list.slice(end)}`;
  writeFileSync(join(root, LIST), changed);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a kind of object that a folder and one line in the list of kinds add', () => {
  it('makes the compiler name each table that lacks the kind, and no other file', async () => {
    const config = { extends: './tsconfig.json', include: ['cli', 'services', 'workflows'] };
    writeFileSync(join(root, 'tsconfig.kinds.json'), JSON.stringify(config));
    const tsc = join(PACKAGE_DIR, 'node_modules', 'typescript-7', 'bin', 'tsc');
    const run = promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.kinds.json'], { cwd: root });
    const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
    const named = [...stdout.matchAll(/^([\w./-]+)\(\d+,\d+\): error/gm)].map(([, file = '']) => file);
    expect([...new Set(named)].toSorted((a, b) => a.localeCompare(b))).toEqual(TABLES);
  }, 240_000);
});
