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

describe('a fold that does not end', () => {
  it('is ended after its budget with a clear answer, and holds up neither this process nor other callers', async () => {
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

  it('is ended by the clock when nobody ends it', async () => {
    const folds = startFolds({ budgetMs: 100 });
    expect(await failed(ask(folds, 'one', 'endless'))).toMatchObject({ kind: 'too-long' });
  });

  it('is ended when its caller leaves', async () => {
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

describe('a fold whose process ends', () => {
  it.each(['greedy', 'greedy at once', 'killed', 'aborting', 'exiting'])(
    'gets a clear answer when it is %s; the API goes on, and so does the next fold',
    async (uid) => {
      const folds = startFolds({ heapMib: 32 });
      await expect(ask(folds, 'one', uid)).rejects.toMatchObject(TOO_MUCH);
      await expect(ask(folds, 'one', 'quick')).resolves.toBe('an answer');
    },
  );

  it('is logged in a line without any of its data, also when it has answered already', async () => {
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
        msg: 'a process that folds has ended',
      },
    ]);
    await expect(ask(folds, 'one', 'quick')).resolves.toBe('an answer');
  });

  it('is not taken for one that fails, which keeps its process', async () => {
    const folds = startFolds();
    const before = await ask(folds, 'one', 'tell its process');
    await expect(ask(folds, 'one', 'failing')).rejects.toMatchObject({
      message: 'a fold failed',
      cause: new Error('the stream makes no sense'),
    });
    await expect(ask(folds, 'one', 'tell its process')).resolves.toBe(before);
  });

  it('says that the API cannot answer now, when no process can start', async () => {
    const { execPath } = process;
    process.execPath = '/nowhere/node';
    try {
      await expect(ask(startFolds(), 'one', 'quick')).rejects.toMatchObject({ name: 'UnavailableError' });
    } finally {
      process.execPath = execPath;
    }
  });
});

describe('a process that folds', () => {
  it('has none of the variables with credentials of the API', async () => {
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

  it('is the one that the kernel ends when memory is short, and leaves nothing in a core dump', async () => {
    const child = (await ask(startFolds(), 'one', 'tell its process')) as number;
    const setting = (file: string): string => readFileSync(`/proc/${child}/${file}`, 'utf8').trim();
    expect([setting('oom_score_adj'), setting('coredump_filter')]).toEqual(['1000', '00000000']);
  });

  it('goes on when a terminal or the system stops the API', async () => {
    const folds = startFolds();
    const child = (await ask(folds, 'one', 'tell its process')) as number;
    for (const signal of ['SIGINT', 'SIGTERM']) process.kill(child, signal);
    await expect(ask(folds, 'one', 'tell its process')).resolves.toBe(child);
  });

  it('ends with the API, in the middle of a fold too', async () => {
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
  it('are charged by the CPU time that they take, not by their number; others go on', async () => {
    const folds = startFolds({ secondsPerMinute: 1 });
    for (let count = 0; count < 10; count += 1) await ask(folds, 'one', 'quick');
    await expect(ask(folds, 'one', 'costly')).resolves.toBe('an answer');
    await expect(ask(folds, 'one', 'quick')).rejects.toMatchObject({
      kind: 'too-many-requests',
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    await expect(ask(folds, 'other', 'quick')).resolves.toBe('an answer');
  });

  it('are charged for what is ended, by the time until then', async () => {
    const folds = startFolds({ budgetMs: 600, secondsPerMinute: 1 });
    await expect(ask(folds, 'one', 'endless')).rejects.toMatchObject({ kind: 'too-long' });
    await expect(ask(folds, 'one', 'quick')).rejects.toMatchObject({ kind: 'too-many-requests' });
  });

  it('take one place at a time, and only a few wait', async () => {
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
