import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

describe("the page's types of the API", () => {
  it('are those of the served document; npm run page-types writes them', () => {
    // A process of its own: the generator is an ES module, which jest does not load.
    const types = execFileSync(process.execPath, ['test/page/write-api-types.ts', '--print'], {
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    });
    expect(types).toContain('export interface paths');
    expect(readFileSync('page/api/api-types.ts', 'utf8')).toBe(types);
  }, 60_000);
});
