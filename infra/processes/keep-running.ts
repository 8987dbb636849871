import { setTimeout as delay } from 'node:timers/promises';
import { JobledgerError, messageOf } from '../../services/adapters/errors.ts';
import { describeExit, launch, type CommandLine, type Exit, type RunningChild } from './child.ts';
import { deferred } from './deferred.ts';
import { lastComplaint } from './logs.ts';

/** How to run one process for as long as it is wanted. */
export interface ChildSpec {
  readonly name: string;
  /** Children of the highest stage are stopped first, those of one stage together. */
  readonly stage: number;
  /** Before each start, the first and every other: what must be in place. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  readonly command: () => CommandLine;
  /** Resolves once the process truly answers. */
  readonly ready: (child: RunningChild, signal: AbortSignal) => Promise<void>;
  /** From the stop signal to SIGKILL. */
  readonly stopWithinMs: number;
  /** Exit statuses after which a restart cannot help. */
  readonly fatalCodes?: readonly number[];
}

/** Why a child is no longer kept running. */
export interface Failure {
  readonly name: string;
  readonly exit: Exit;
  readonly logFile: string;
  readonly error: JobledgerError;
}

export interface KeptChild {
  readonly spec: ChildSpec;
  readonly current: () => RunningChild | undefined;
  /** Resolves when the process that runs now, or the next one, answers. Pending once stopped. */
  readonly answers: () => Promise<void>;
  /** SIGKILL, not counted as a death; resolves when the process is gone, from when on `answers` waits for the next one. */
  readonly kill: () => Promise<void>;
  /** Stops it for good. */
  readonly halt: () => Promise<void>;
}

export interface ChildContext {
  readonly runDir: string;
  readonly logFile: string;
  readonly say: (line: string) => void;
  readonly fail: (failure: Failure) => void;
}

const DEATHS_ALLOWED = 5;
const DEATHS_WITHIN_MS = 60_000;
const LONGEST_PAUSE_MS = 2000;

/** Starts a process and starts it again whenever it dies, until it is halted or dies too often. */
export function keepRunning(spec: ChildSpec, around: ChildContext): KeptChild {
  const unwanted = new AbortController();
  const answer = renewable();
  let child: RunningChild | undefined;
  let killAsked = false;

  const announce = async (ready: Promise<void>, againSince?: number): Promise<void> => {
    try {
      await ready;
      if (againSince !== undefined)
        around.say(`${spec.name} answers again after ${seconds(Date.now() - againSince)}`);
      answer.given();
    } catch {
      // It ended before it answered, which the loop sees.
    }
  };

  const runOnce = async (again: boolean): Promise<Exit> => {
    await spec.prepare?.(unwanted.signal);
    unwanted.signal.throwIfAborted();
    child = launch(spec.name, spec.command(), around);
    const over = new AbortController();
    void announce(spec.ready(child, over.signal), again ? Date.now() : undefined);
    const exit = await child.ended;
    over.abort();
    answer.renew();
    child = undefined;
    return exit;
  };

  const loop = async (): Promise<void> => {
    const deaths: number[] = [];
    for (let again = false; ; again = true) {
      const exit = await runOnce(again).catch(asExit);
      if (unwanted.signal.aborted) return;
      if (killAsked) killAsked = false;
      else deaths.push(Date.now());
      const reason = giveUpReason(spec, deaths, exit);
      if (reason !== undefined) return around.fail(failureOf(spec.name, reason, around.logFile, exit));
      around.say(`${spec.name} ended (${describeExit(exit)}); it is started again`);
      const pause = Math.min(LONGEST_PAUSE_MS, 250 * Math.max(0, deaths.length - 1));
      await delay(pause, undefined, { signal: unwanted.signal }).catch(() => undefined);
    }
  };

  const running = loop();
  return {
    spec,
    current: () => child,
    answers: () => answer.promise(),
    async kill() {
      const ended = child?.ended;
      killAsked = child !== undefined;
      child?.kill();
      await ended;
    },
    async halt() {
      unwanted.abort();
      child?.askToStop();
      const timer = setTimeout(() => child?.destroy(), spec.stopWithinMs);
      await running;
      clearTimeout(timer);
    },
  };
}

/** A promise that is replaced by a pending one after it was kept. */
function renewable(): { promise: () => Promise<void>; given: () => void; renew: () => void } {
  let current = deferred<void>();
  let kept = false;
  return {
    promise: () => current.promise,
    given() {
      kept = true;
      current.resolve();
    },
    renew() {
      if (kept) current = deferred();
      kept = false;
    },
  };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function asExit(error: unknown): Exit {
  return { code: null, signal: null, error: new Error(messageOf(error), { cause: error }) };
}

function giveUpReason(spec: ChildSpec, deaths: number[], exit: Exit): string | undefined {
  const now = Date.now();
  while ((deaths[0] ?? now) < now - DEATHS_WITHIN_MS) deaths.shift();
  if (exit.code !== null && spec.fatalCodes?.includes(exit.code) === true)
    return 'cannot run with this configuration';
  return deaths.length >= DEATHS_ALLOWED ? `ended ${DEATHS_ALLOWED} times within a minute` : undefined;
}

function failureOf(name: string, reason: string, logFile: string, exit: Exit): Failure {
  const last = exit.error?.message ?? lastComplaint(logFile) ?? describeExit(exit);
  const error = new JobledgerError(
    `${name} ${reason} (${describeExit(exit)}); its log ${logFile} says: ${last}`,
  );
  return { name, exit, logFile, error };
}
