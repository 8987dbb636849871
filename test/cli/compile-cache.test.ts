import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-compile-cache-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** In a process of its own, which can be ended while it tries for ever. */
function version(cache: string): string {
  const env = { PATH: process.env['PATH'], XDG_CACHE_HOME: cache };
  const limit = { timeout: 60_000, killSignal: 'SIGKILL' } as const;
  return execFileSync(process.execPath, ['cli/jobledger.mjs', '--version'], {
    env,
    encoding: 'utf8',
    ...limit,
  });
}

describe('the cache of compiled code', () => {
  it('is created in the directory of a user who has no cache', () => {
    const cache = join(folder, 'cache');
    expect(version(cache)).toMatch(/^\d/);
    expect(readdirSync(join(cache, 'jobledger'))).toEqual(['compiled']);
  });

  it('is optional, because a start without a writable cache compiles the code again', () => {
    const taken = join(folder, 'taken');
    mkdirSync(join(taken, 'jobledger'), { recursive: true });
    writeFileSync(join(taken, 'jobledger', 'compiled'), 'a file');
    for (const cache of [taken, '/dev/null', '/proc/nope', '/proc']) expect(version(cache)).toMatch(/^\d/);
  });
});
