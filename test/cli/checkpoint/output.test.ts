import { afterAll, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programWith } from '../../../cli/main.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-checkpoint-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the file of a checkpoint', () => {
  it('is refused when it exists already, before the ledger is read', async () => {
    const key = join(folder, 'key.pem');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const file = join(folder, 'monday.json');
    writeFileSync(file, 'the proof of monday');
    const args = ['admin', 'checkpoint', '--key-file', key, '-o', file, '--state-dir', folder];
    const program = await programWith(args);
    await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow(
      `${file} exists, and a checkpoint never replaces a file: give another --output`,
    );
    expect(readFileSync(file, 'utf8')).toBe('the proof of monday');
  });
});

describe('an unusable signing key', () => {
  const KEY = 'JOBLEDGER_CHECKPOINT_KEY_FILE';
  const bad = join(folder, 'bad.pem');
  const sign = async (...words: string[]): Promise<unknown> => {
    const args = ['admin', 'checkpoint', ...words, '--state-dir', folder];
    const program = await programWith(args);
    return program.parseAsync(args, { from: 'user' });
  };
  afterAll(() => void delete process.env[KEY]);

  it('is reported with the option or the variable that names it', async () => {
    writeFileSync(bad, 'no key');
    const message = `${bad} is not an Ed25519 private key in PEM`;
    await expect(sign('--key-file', bad)).rejects.toThrow(`--key-file: ${message}`);
    await expect(sign('--key-file', `${bad}.none`)).rejects.toThrow(`--key-file: ${bad}.none cannot be read`);
    process.env[KEY] = bad;
    await expect(sign()).rejects.toThrow(`${KEY}: ${message}`);
  });
});

describe('the option --public-key', () => {
  it('has no default in the help', async () => {
    const program = await programWith(['admin', 'verify']);
    const verify = program.commands
      .flatMap(({ commands }) => commands)
      .find((command) => command.name() === 'verify');
    expect(verify?.helpInformation()).toContain('--public-key <file>');
    expect(verify?.helpInformation()).not.toContain('default: []');
  });
});
