import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openStateDirectory } from '../../infra/local/state-directory.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'jobledger-state-'));
  chmodSync(dir, 0o755);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('a state directory that others can enter', () => {
  it('is narrowed when it is empty, or has been a state directory', () => {
    for (const _start of ['empty', 'used']) {
      chmodSync(dir, 0o755);
      openStateDirectory(dir, 'up', 'a test').release();
      expect(statSync(dir).mode & 0o777).toBe(0o700);
      writeFileSync(path.join(dir, 'up.lock'), '');
    }
  });

  it('is refused when it contains other files', () => {
    writeFileSync(path.join(dir, 'letters.txt'), '');
    expect(() => openStateDirectory(dir, 'up', 'a test')).toThrow(/others can enter .* run "chmod 700/);
    expect(statSync(dir).mode & 0o777).toBe(0o755);
  });
});
