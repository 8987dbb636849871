import { openSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** Linux has this device, which is always full. */
const FULL = '/dev/full';

describe('a verb whose output cannot be written', () => {
  it('fails with the reason', () => {
    const stdio = ['ignore', openSync(FULL, 'w'), 'pipe'] as const;
    const { status, stderr } = spawnSync(process.execPath, ['cli/jobledger.mjs', 'version'], {
      stdio: [...stdio],
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/^jobledger: the output cannot be written: ENOSPC/);
    expect(stderr).not.toContain(' at ');
    expect(status).toBe(1);
  });
});
