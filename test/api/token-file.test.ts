import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Tokens } from '../../services/api/access/authentication.ts';
import { openTokens } from '../../services/api/access/token-file.ts';
import { tokenLine, findToken } from '../../services/api/access/tokens.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { createMetrics, type Metrics } from '../../services/adapters/metrics/metrics.ts';
import { createChecks, type CheckedParts } from '../../services/api/checks.ts';
import { checkReadiness } from '../../services/api/readiness.ts';
import { eventually } from '../support/eventually.ts';
import { samplesIn, findSamples } from '../support/metrics.ts';

const ANN = tokenLine({ name: 'ann', scopes: ['read'] }, 'token-of-ann');
const BOB = tokenLine({ name: 'bob', scopes: ['read'] }, 'token-of-bob');

let folder: string;
let file: string;
let metrics: Metrics;
let logged: string;
let closing: (() => unknown)[];
let tokens: Tokens;
const log = createLog('test');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-tokens-'));
  file = join(folder, 'tokens');
  metrics = createMetrics();
  [logged, closing] = ['', []];
  log.level = 'info';
  for (const severity of ['info', 'error', 'warn'] as const)
    jest
      .spyOn(log, severity)
      .mockImplementation((...output: unknown[]) => void (logged += JSON.stringify(output)));
});
afterEach(() => {
  for (const close of closing) close();
  rmSync(folder, { recursive: true });
});

function opened(text: string): void {
  writeFileSync(file, text);
  const shutdown = { onClose: (_what: string, close: () => unknown) => void closing.push(close) };
  tokens = openTokens({ JOBLEDGER_API_TOKENS_FILE: file }, { log, metrics, shutdown, pollMs: 10 });
}

const names = (): string[] => (tokens?.() ?? []).map(({ name }) => name);

function become(...expected: string[]): Promise<unknown> {
  return eventually(`the tokens are those of ${expected.join(', ') || 'nobody'}`, 10, () =>
    Promise.resolve(names().join() === expected.join() ? true : undefined),
  );
}

async function lines(): Promise<Record<string, number>> {
  return findSamples(samplesIn(await metrics.text()), 'jobledger_api_token_lines');
}

async function readiness(): Promise<string> {
  const parts = {
    run: () => Promise.resolve([]),
    applied: () => Promise.resolve(new Map()),
    ledgerEnds: () => Promise.resolve(new Map()),
    tokens,
    temporal: () => Promise.resolve(),
    clusters: [],
  } as unknown as CheckedParts;
  const { tokens: check } = createChecks(parts);
  return (await checkReadiness(check === undefined ? {} : { tokens: check }, log)).status;
}

describe('a token file that changes', () => {
  it('applies its valid lines although one line is wrong, and the API counts and logs the wrong line', async () => {
    opened(ANN);
    writeFileSync(file, `ann read secret-that-was-pasted\n${BOB}`);
    await become('bob');
    expect(findToken(tokens?.() ?? [], 'token-of-ann')).toBeUndefined();
    expect(await lines()).toEqual({ '{state="valid"}': 1, '{state="refused"}': 1 });
    expect(logged).toContain(`${file}:1 is not a token`);
    expect(logged).not.toContain('secret-that-was-pasted');
    expect(await readiness()).toBe('ready');
  });

  it.each([
    ['is empty', () => writeFileSync(file, '')],
    ['is gone', () => rmSync(file)],
    ['has wrong lines only', () => writeFileSync(file, 'x')],
  ])(
    'makes every token invalid and the API not ready when it %s, until the file is valid again',
    async (_how, change) => {
      opened(ANN);
      expect(await readiness()).toBe('ready');
      change();
      await become();
      expect(await lines()).toMatchObject({ '{state="valid"}': 0 });
      expect(await readiness()).toBe('unavailable');
      writeFileSync(file, ANN);
      await become('ann');
      expect(await readiness()).toBe('ready');
    },
  );
});

describe('a token file at the start', () => {
  it('is refused when no line of the file is valid', () => {
    expect(() => opened('# nothing\n')).toThrow('contains no token');
    expect(() => opened('ann read x\n')).toThrow(`${file}:1 is not a token`);
  });
});
