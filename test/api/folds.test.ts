import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import type { Caller } from '../../services/api/access/caller.ts';
import { createFairTurns } from '../../services/api/fair-turns.ts';
import { createFolds, type FoldOptions, type Folds } from '../../services/api/folds/folds.ts';
import type { FoldKind, FoldQuestion } from '../../services/api/folds/questions.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { threadCpuMs } from '../../services/api/folds/thread-time.ts';
import { eventually } from '../support/eventually.ts';

/** It ends a test that hangs: threads with a low priority start slowly on a busy machine. */
jest.setTimeout(300_000);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function startFolds(options: Partial<FoldOptions> = {}): Folds {
  const made = createFolds({
    workerData: {},
    log: silentLog(),
    budgetMs: 250_000,
    secondsPerMinute: 0,
    program: join(process.cwd(), 'test/support/fold-stand-in.mjs'),
    ...options,
  });
  closing.push(made.close);
  return made.folds;
}

const JOB = { cluster: 'local', uid: 'u1' };
const LIFE = { first_seen_at: '', deleted_at: null };
const QUICK: FoldQuestion<'why'> = {
  kind: 'why',
  job: { ...JOB, ...LIFE },
  question: { about: 'job' },
  members: [],
};
const ENDLESS: FoldQuestion<'replay'> = { kind: 'replay', job: JOB, point: 'end' };
/** Takes 1.5 s of CPU time, as its thread says. */
const COSTLY: FoldQuestion<'steps'> = {
  kind: 'steps',
  job: JOB,
  point: 'end',
  range: { skip: 0, limit: 1 },
};
/** Its thread runs out of memory after the answer. */
const GREEDY_AFTERWARDS: FoldQuestion<'what-if-starts'> = {
  kind: 'what-if-starts',
  cronJob: JOB,
  change: {},
};
const GREEDY: FoldQuestion<'what-if'> = { kind: 'what-if', jobs: [JOB], change: {} };

function aCaller(name: string): Caller {
  return { name, scopes: ['read'], places: null, person: null };
}

function ask<K extends FoldKind>(folds: Folds, name: string, question: FoldQuestion<K>): Promise<unknown> {
  return folds.ask({ caller: aCaller(name), raw: { socket: new EventEmitter() } }, question);
}

function failed(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no error',
    (error: unknown) => error,
  );
}

describe('a fold that does not end', () => {
  it('is ended after its budget with a clear answer, and holds up neither this thread nor other callers', async () => {
    const over = new AbortController();
    const after = (ms: number): AbortSignal => (ms === 20_000 ? over.signal : new AbortController().signal);
    const folds = startFolds({ budgetMs: 20_000, after });
    const endless = failed(ask(folds, 'one', ENDLESS));
    await expect(ask(folds, 'other', QUICK)).resolves.toEqual({ kind: 'why' });
    over.abort();
    expect(await endless).toMatchObject({
      kind: 'too-long',
      message: 'the response takes more than 20 s, or 320 MiB of memory; use the jobledger command instead',
    });
  });

  it('is ended by the clock when nobody ends it', async () => {
    const folds = startFolds({ budgetMs: 100 });
    expect(await failed(ask(folds, 'one', ENDLESS))).toMatchObject({ kind: 'too-long' });
  });

  it('is ended when its caller leaves', async () => {
    const folds = startFolds();
    const socket = new EventEmitter();
    const asked = folds.ask({ caller: aCaller('one'), raw: { socket } }, ENDLESS);
    setImmediate(() => socket.emit('close'));
    await expect(asked).rejects.toThrow('a fold failed');
    await expect(ask(folds, 'one', QUICK)).resolves.toEqual({ kind: 'why' });
    expect(socket.listenerCount('close')).toBe(0);
  });
});

describe('a fold that needs too much memory', () => {
  it('is ended with a clear answer; the process goes on', async () => {
    const folds = startFolds({ threadMib: 32 });
    await expect(ask(folds, 'one', GREEDY)).rejects.toMatchObject({ kind: 'too-long' });
    await expect(ask(folds, 'one', QUICK)).resolves.toEqual({ kind: 'why' });
  });

  it('takes its thread along when it has answered already; that is logged, and the process goes on', async () => {
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
    const folds = startFolds({ threadMib: 32, log });
    await expect(ask(folds, 'one', GREEDY_AFTERWARDS)).resolves.toEqual({ kind: 'what-if-starts' });
    await eventually('the end of the thread is logged', 60, () =>
      Promise.resolve(
        lines.some((line) => line.includes('a thread that folds has ended')) ? true : undefined,
      ),
    );
    await expect(ask(folds, 'one', QUICK)).resolves.toEqual({ kind: 'why' });
  });
});

describe('the folds of one caller', () => {
  it('are charged by the CPU time that they take, not by their number; others go on', async () => {
    const folds = startFolds({ secondsPerMinute: 1 });
    for (let count = 0; count < 10; count += 1) await ask(folds, 'one', QUICK);
    await expect(ask(folds, 'one', COSTLY)).resolves.toEqual({ kind: 'steps' });
    await expect(ask(folds, 'one', QUICK)).rejects.toMatchObject({
      kind: 'too-many-requests',
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    await expect(ask(folds, 'other', QUICK)).resolves.toEqual({ kind: 'why' });
  });

  it('are charged for what is ended, by the time until then', async () => {
    const folds = startFolds({ budgetMs: 600, secondsPerMinute: 1 });
    await expect(ask(folds, 'one', ENDLESS)).rejects.toMatchObject({ kind: 'too-long' });
    await expect(ask(folds, 'one', QUICK)).rejects.toMatchObject({ kind: 'too-many-requests' });
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

describe('the CPU time of a thread', () => {
  it('grows by what the thread computes, and not while it waits', async () => {
    const before = threadCpuMs();
    const started = performance.now();
    await pause(1000);
    const waited = threadCpuMs() - before;
    const passed = performance.now() - started;
    expect(waited).toBeLessThan(passed / 2);
    while (threadCpuMs() - before < waited + 20);
    expect(threadCpuMs() - before).toBeGreaterThan(waited);
  });
});
