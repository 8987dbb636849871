import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { AFTER, NEXT, versionTrees, type VersionTrees } from './trees.ts';

let trees: VersionTrees;

beforeAll(async () => {
  trees = await versionTrees();
}, 120_000);
afterAll(() => trees?.remove());

describe('the invented versions for upgrade tests', () => {
  it('can be made from this source tree: every patch applies, and each has its own core and feature level', async () => {
    for (const [version, { core, level }] of [
      ['next', NEXT],
      ['after', AFTER],
    ] as const) {
      const text = (file: string): string => readFileSync(join(trees.root[version], file), 'utf8');
      expect(text('workflows/job/record/decision-record.ts')).toContain(`CORE_VERSION = '${core}'`);
      expect(text('services/adapters/events/feature-levels.ts')).toContain(`max: ${level} }`);
    }
  });

  it('have no type errors', async () => {
    const tsc = join(PACKAGE_DIR, 'node_modules', '.bin', 'tsc');
    const config = { extends: './tsconfig.json', include: ['cli', 'services', 'workflows'] };
    writeFileSync(join(trees.root.after, 'tsconfig.types.json'), JSON.stringify(config));
    const run = promisify(execFile)(tsc, ['-p', 'tsconfig.types.json'], { cwd: trees.root.after });
    expect(await run.catch((error: unknown) => error)).toMatchObject({ stdout: '' });
  }, 240_000);
});
