import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
});
