import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { versionTrees, type VersionTrees } from './trees.ts';

let trees: VersionTrees;

beforeAll(async () => {
  trees = await versionTrees();
}, 120_000);
afterAll(() => trees?.remove());

describe('the invented versions for upgrade tests', () => {
  it('have no type errors', async () => {
    const tsc = join(PACKAGE_DIR, 'node_modules', '.bin', 'tsc');
    const config = { extends: './tsconfig.json', include: ['cli', 'services', 'workflows'] };
    writeFileSync(join(trees.root.after, 'tsconfig.types.json'), JSON.stringify(config));
    const run = promisify(execFile)(tsc, ['-p', 'tsconfig.types.json'], { cwd: trees.root.after });
    expect(await run.catch((error: unknown) => error)).toMatchObject({ stdout: '' });
  }, 240_000);
});
