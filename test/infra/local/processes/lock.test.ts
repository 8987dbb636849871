import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tryLock } from '../../../../infra/local/processes/lock.ts';

let dir = '';
let file = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'jobledger-lock-'));
  file = path.join(dir, 'up.lock');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const DEAD = { pid: 1, born: 'another boot', purpose: 'an ended test', since: '2026-04-01T00:00:00.000Z' };

function taken(): () => void {
  const attempt = tryLock(file, 'a test');
  if ('holder' in attempt) throw new Error(`${attempt.holder.purpose} holds it`);
  return attempt.release;
}

describe('the file lock of a process that has ended', () => {
  it.each([
    ['complete', () => writeFileSync(file, JSON.stringify(DEAD))],
    ['incomplete', () => writeFileSync(file, '{"pid":')],
    ['a link to a missing file', () => symlinkSync(path.join(dir, 'gone'), file)],
  ])('is taken over, and leaves no other file, also when the lock is %s', (_what, plant) => {
    plant();
    const release = taken();
    expect(readdirSync(dir)).toEqual(['up.lock']);
    release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is not taken over while another process removes it, and that process is reported as its holder', () => {
    writeFileSync(file, JSON.stringify(DEAD));
    const other = tryLock(`${file}.stale`, 'another start');
    expect(tryLock(file, 'a test')).toMatchObject({ holder: { purpose: 'another start' } });
    expect(existsSync(file)).toBe(true);
    if ('release' in other) other.release();
    taken()();
  });

  it('is also taken over when the process that was removing the lock has ended too', () => {
    for (const each of [file, `${file}.stale`]) writeFileSync(each, JSON.stringify(DEAD));
    taken();
    expect(readdirSync(dir)).toEqual(['up.lock']);
  });
});

describe('a file lock that cannot be read', () => {
  it('does not count as the lock of an ended process', () => {
    symlinkSync(dir, file);
    expect(() => tryLock(file, 'a test')).toThrow('EISDIR');
    expect(existsSync(file)).toBe(true);
  });
});
