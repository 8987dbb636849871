import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import type { Caller } from '../../services/api/access/caller.ts';
import { createFairTurns } from '../../services/api/fair-turns.ts';
import { createFolds, type FoldOptions, type Folds } from '../../services/api/folds/folds.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { eventually } from '../support/eventually.ts';

/** It ends a test that hangs: processes with a low priority start slowly on a busy machine. */
jest.setTimeout(300_000);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function startFolds(options: Partial<FoldOptions> = {}): Folds {
  const made = createFolds({
    log: silentLog(),
    environment: {},
    settings: { postgres: { DATABASE_URL: '' }, statementTimeoutMs: 1000 },
    budgetMs: 250_000,
    secondsPerMinute: 0,
    program: join(process.cwd(), 'test/support/fold-stand-in.ts'),
    ...options,
  });
  closing.push(made.close);
  return made.folds;
}

function aCaller(name: string): Caller {
  return { name, scopes: ['read'], places: null, person: null };
}

/** Asks for a fold that does what the stand-in of the process has under this uid. */
function ask(folds: Folds, name: string, uid: string, socket = new EventEmitter()): Promise<unknown> {
  return folds.ask(
    { caller: aCaller(name), raw: { socket } },
    { kind: 'replay', job: { cluster: 'local', uid }, point: 'end' },
  );
}

function failed(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no error',
    (error: unknown) => error,
  );
}

describe('a fold in the API that does not end', () => {
  it('is stopped after its time budget with a clear answer, and delays neither the API nor other callers', async () => {
    const over = new AbortController();
    const after = (ms: number): AbortSignal => (ms === 20_000 ? over.signal : new AbortController().signal);
    const folds = startFolds({ budgetMs: 20_000, after });
    const endless = failed(ask(folds, 'one', 'endless'));
    await expect(ask(folds, 'other', 'quick')).resolves.toBe('an answer');
    over.abort();
    expect(await endless).toMatchObject({
      kind: 'too-long',
      message: 'the response takes more than 20 s, or 320 MiB of memory; use the jobledger command instead',
    });
  });

  it('is stopped by its time budget when its caller does not disconnect', async () => {
    const folds = startFolds({ budgetMs: 100 });
    expect(await failed(ask(folds, 'one', 'endless'))).toMatchObject({ kind: 'too-long' });
  });

  it('is stopped when its caller disconnects', async () => {
    const folds = startFolds();
    const socket = new EventEmitter();
    const asked = ask(folds, 'one', 'endless', socket);
    setImmediate(() => socket.emit('close'));
    await expect(asked).rejects.toThrow('a fold failed');
    await expect(ask(folds, 'one', 'quick')).resolves.toBe('an answer');
    expect(socket.listenerCount('close')).toBe(0);
  });
});

/** Of folds.ts, with a heap of 32 MiB and the default time. */
const TOO_MUCH = {
  kind: 'too-long',
  message: 'the response takes more than 250 s, or 32 MiB of memory; use the jobledger command instead',
};

describe('a fold whose process crashes', () => {
  it.each([
    ['allocates too much memory', 'greedy'],
    ['allocates too much memory at once', 'greedy at once'],
    ['is killed', 'killed'],
    ['aborts', 'aborting'],
    ['exits', 'exiting'],
  ])(
    'is answered with a clear error when the process %s, while the API and the next fold continue',
    async (_how, uid) => {
      const folds = startFolds({ heapMib: 32 });
      await expect(ask(folds, 'one', uid)).rejects.toMatchObject(TOO_MUCH);
      await expect(ask(folds, 'one', 'quick')).resolves.toBe('an answer');
    },
  );

  it('is logged in one line without any of its data, also when the process has already answered', async () => {
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
    const folds = startFolds({ heapMib: 32, log });
    await expect(ask(folds, 'one', 'greedy afterwards')).resolves.toBeUndefined();
    await eventually('the end of the process is logged', 60, () =>
      Promise.resolve(lines.length > 0 ? true : undefined),
    );
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: 40,
        time: expect.any(Number),
        error: 'ended by SIGABRT',
        msg: 'a process that folds streams has ended',
      },
    ]);
    await expect(ask(folds, 'one', 'quick')).resolves.toBe('an answer');
  });

  it('is distinguished from a fold that throws, which keeps its process', async () => {
    const folds = startFolds();
    const before = await ask(folds, 'one', 'tell its process');
    await expect(ask(folds, 'one', 'failing')).rejects.toMatchObject({
      message: 'a fold failed',
      cause: new Error('the stream makes no sense'),
    });
    await expect(ask(folds, 'one', 'tell its process')).resolves.toBe(before);
  });
});

describe('a fold for which no process can start', () => {
  it('is answered as temporarily unavailable', async () => {
    const { execPath } = process;
    process.execPath = '/nowhere/node';
    try {
      await expect(ask(startFolds(), 'one', 'quick')).rejects.toMatchObject({ name: 'UnavailableError' });
    } finally {
      process.execPath = execPath;
    }
  });
});

describe('a process of the API for folds', () => {
  it('has none of the environment variables with credentials of the API', async () => {
    const folds = startFolds({
      environment: {
        DATABASE_URL: 'postgres://secret',
        KAFKA_PASSWORD: 'secret',
        NODE_OPTIONS: '--inspect',
        HOME: '/h',
      },
    });
    const {
      NODE_CHANNEL_FD: _,
      NODE_CHANNEL_SERIALIZATION_MODE: __,
      ...own
    } = (await ask(folds, 'one', 'tell its environment')) as Record<string, string>;
    expect(own).toEqual({ HOME: '/h' });
  });

  it('is the first process that the kernel ends when memory is short, and writes no core dump', async () => {
    const child = (await ask(startFolds(), 'one', 'tell its process')) as number;
    const setting = (file: string): string => readFileSync(`/proc/${child}/${file}`, 'utf8').trim();
    expect([setting('oom_score_adj'), setting('coredump_filter')]).toEqual(['1000', '00000000']);
  });

  it('survives the signals with which a terminal or the system stops the API', async () => {
    const folds = startFolds();
    const child = (await ask(folds, 'one', 'tell its process')) as number;
    for (const signal of ['SIGINT', 'SIGTERM']) process.kill(child, signal);
    await expect(ask(folds, 'one', 'tell its process')).resolves.toBe(child);
  });

  it('ends when the API dies, also in the middle of a fold', async () => {
    const parent = fork(join(process.cwd(), 'test/support/folding-parent.ts'));
    const [child] = (await once(parent, 'message')) as [number];
    expect(isAlive(child)).toBe(true);
    parent.kill('SIGKILL');
    await eventually('the process has ended', 60, () => Promise.resolve(isAlive(child) ? undefined : true));
  });

  it('ends when the API closes', async () => {
    const folds = startFolds();
    const child = (await ask(folds, 'one', 'tell its process')) as number;
    const asked = failed(ask(folds, 'one', 'endless'));
    await closing[0]?.();
    expect(await asked).toMatchObject({ name: 'UnavailableError' });
    expect(isAlive(child)).toBe(false);
  });
});

function isAlive(process: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${process}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the folds of one caller', () => {
  it('are charged by their CPU time, not by their number, and do not delay other callers', async () => {
    const folds = startFolds({ secondsPerMinute: 1 });
    for (let count = 0; count < 10; count += 1) await ask(folds, 'one', 'quick');
    await expect(ask(folds, 'one', 'costly')).resolves.toBe('an answer');
    await expect(ask(folds, 'one', 'quick')).rejects.toMatchObject({
      kind: 'too-many-requests',
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    await expect(ask(folds, 'other', 'quick')).resolves.toBe('an answer');
  });

  it('are charged for stopped folds by the time until the stop', async () => {
    const folds = startFolds({ budgetMs: 600, secondsPerMinute: 1 });
    await expect(ask(folds, 'one', 'endless')).rejects.toMatchObject({ kind: 'too-long' });
    await expect(ask(folds, 'one', 'quick')).rejects.toMatchObject({ kind: 'too-many-requests' });
  });

  it('use one process at a time, and only a few folds may wait', async () => {
    const turns = createFairTurns({ most: 2, mostOfCaller: 1, mostWaiting: 1 });
    const never = new AbortController().signal;
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const run = (who: string, signal = never): Promise<void> =>
      turns(who, signal, () => {
        started.push(who);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const first = run('one');
    const second = run('one');
    await expect(run('one')).rejects.toMatchObject({ kind: 'too-many-requests' });
    const other = run('other');
    await pause(0);
    expect(started).toEqual(['one', 'other']);
    const leaves = new AbortController();
    const left = failed(run('third', leaves.signal));
    leaves.abort();
    expect(await left).toMatchObject({ kind: 'unavailable' });
    ends[0]?.();
    await first;
    await pause(0);
    expect(started).toEqual(['one', 'other', 'one']);
    for (const end of ends) end();
    await Promise.all([second, other]);
  });
});
