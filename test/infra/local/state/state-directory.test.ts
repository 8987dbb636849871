import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { openStateDirectory } from '../../../../infra/local/state/state-directory.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'jobledger-state-'));
  chmodSync(dir, 0o755);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('a state directory that other users can enter', () => {
  it('is closed to other users when it is empty or was already a state directory', () => {
    for (const _start of ['empty', 'used']) {
      chmodSync(dir, 0o755);
      openStateDirectory(dir, 'up', 'a test').release();
      expect(statSync(dir).mode & 0o777).toBe(0o700);
      writeFileSync(path.join(dir, 'up.lock'), '');
    }
  });

  it('is refused when it contains other files', () => {
    writeFileSync(path.join(dir, 'letters.txt'), '');
    expect(() => openStateDirectory(dir, 'up', 'a test')).toThrow(/other users can enter .* run "chmod 700/);
    expect(statSync(dir).mode & 0o777).toBe(0o755);
  });
});

describe('a state directory that cannot be used', () => {
  it('is named in the error when it is a file, or below a file', () => {
    const file = path.join(dir, 'letter.txt');
    writeFileSync(file, '');
    expect(() => openStateDirectory(file, 'up', 'a test')).toThrow(
      `the state directory ${file} is a file; choose another --state-dir`,
    );
    expect(() => openStateDirectory(path.join(file, 'state'), 'up', 'a test')).toThrow(
      /letter.txt\/state cannot be used; choose another --state-dir$/,
    );
  });
});

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('a state directory where nothing can be made', () => {
  it('a state directory without the right to create files is refused at once', async () => {
    // In a process of its own, which can be ended while it tries for ever.
    const module = JSON.stringify(path.join(process.cwd(), 'infra/local/state/state-directory.ts'));
    const script = `const { openStateDirectory } = await import(${module}); openStateDirectory('/proc/nope/state', 'up', 'a test');`;
    const opened = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    await expect(opened).rejects.toThrow('the state directory /proc/nope/state cannot be used');
  }, 60_000);
});

describe('a refused start of the servers', () => {
  it('leaves no new directory, and no stamp file in an existing directory', () => {
    const made = path.join(dir, 'deep', 'state');
    openStateDirectory(made, 'up', 'a test').release();
    expect(existsSync(made)).toBe(false);
    const empty = path.join(dir, 'empty');
    mkdirSync(empty);
    openStateDirectory(empty, 'up', 'a test').release();
    expect(readdirSync(empty)).toEqual([]);
  });

  it('removes no file that another program uses', () => {
    const servers = openStateDirectory(path.join(dir, 'state'), 'servers', 'a test');
    openStateDirectory(servers.dir, 'up', 'a test').release();
    expect(readdirSync(servers.dir).toSorted()).toEqual(['servers.lock', 'stamp']);
    servers.release();
    expect(existsSync(servers.dir)).toBe(false);
  });
});
