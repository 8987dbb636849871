import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { whyNotExecutable } from '../../infra/node-agent/process/find-executable.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-test-'));
writeFileSync(join(folder, 'file'), '', { mode: 0o644 });
writeFileSync(join(folder, 'program'), '', { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));

describe('a command', () => {
  it.each([
    ['in a folder of PATH', 'program', folder],
    ['behind a PATH entry that is a file', 'program', `${folder}/file:${folder}`],
    ['behind a PATH entry that is not there', 'program', `${folder}/nowhere:${folder}`],
    ['by its path', './program', ''],
  ])('%s can be executed', (_where, command, path) => {
    expect(whyNotExecutable(command, path, folder)).toBeUndefined();
  });

  it.each([
    ['that no folder has', 'nothing', `${folder}/file:${folder}`, 'executable file not found in $PATH'],
    ['below a file', './file/program', '', 'no such file or directory'],
    ['without the right to execute it', 'file', folder, 'permission denied'],
    ['that is none', '', folder, 'no command specified'],
  ])('%s cannot be executed, with the reason', (_what, command, path, reason) => {
    expect(whyNotExecutable(command, path, folder)).toContain(reason);
  });
});
