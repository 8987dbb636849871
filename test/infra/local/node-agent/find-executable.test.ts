import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { notExecutableReason } from '../../../../infra/local/node-agent/process/find-executable.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-test-'));
writeFileSync(join(folder, 'file'), '', { mode: 0o644 });
writeFileSync(join(folder, 'program'), '', { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));

describe('the search for the program of a command', () => {
  it.each([
    ['in a folder of PATH', 'program', folder],
    ['behind a PATH entry that is a file', 'program', `${folder}/file:${folder}`],
    ['behind a PATH entry that does not exist', 'program', `${folder}/nowhere:${folder}`],
    ['by its path', './program', ''],
  ])('finds a program %s', (_where, command, path) => {
    expect(notExecutableReason(command, path, folder)).toBeUndefined();
  });

  it.each([
    ['that is in no folder', 'nothing', `${folder}/file:${folder}`, 'executable file not found in $PATH'],
    ['below a file', './file/program', '', 'no such file or directory'],
    ['without the right to execute it', 'file', folder, 'permission denied'],
    ['with an empty name', '', folder, 'no command specified'],
  ])('fails for a program %s, with the reason', (_what, command, path, reason) => {
    expect(notExecutableReason(command, path, folder)).toContain(reason);
  });
});
