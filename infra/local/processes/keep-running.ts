import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { JobledgerError, errorMessage } from '../../../services/adapters/errors.ts';
import { describeExit, launch, type CommandLine, type Exit, type RunningChild } from './child.ts';
import { countDeaths, type Deaths } from './deaths.ts';
import { fullDiskAdvice, isFullDiskError } from './full-disk.ts';
import { lastErrorLine, lastLines, logSize } from './logs.ts';

/** The number of log lines that a failure keeps. */
const LAST_LINES = 50;

/** The functions that start, check and stop one supervised process. */
export interface ChildSpec {
  readonly name: string;
  /** Children with the highest stage are stopped first; children of the same stage are stopped together. */
  readonly stage: number;
  /** Runs before every start, including restarts. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  readonly command: () => CommandLine;
  /** Resolves when the process serves requests. */
  readonly ready: (child: RunningChild, signal: AbortSignal) => Promise<void>;
  /** Time in milliseconds from the stop signal to SIGKILL. */
  readonly stopWithinMs: number;
  /** Exit statuses after which a restart would fail again. */
  readonly fatalCodes?: readonly number[];
}

/** The reason why the supervisor does not restart a child any more. */
export interface Failure {
  readonly name: string;
  readonly exit: Exit;
  /** The last lines of the child's log, without lines from before its start. */
  readonly lastLines: readonly string[];
  readonly error: JobledgerError;
}

export interface KeptChild {
  readonly spec: ChildSpec;
  readonly current: () => RunningChild | undefined;
  /** Resolves when the current process, or the next one, is ready. Stays pending after `halt`. */
  readonly answers: () => Promise<void>;
  /**
   * Sends SIGKILL, which does not count as a death. Resolves when the process has exited; `answers` then waits for
   * the next process.
   */
  readonly kill: () => Promise<void>;
  /** Stops the process without a restart. */
  readonly halt: () => Promise<void>;
}

export interface ChildContext {
  readonly runDir: string;
  readonly logFile: string;
  readonly report: (line: string) => void;
  readonly fail: (failure: Failure) => void;
}

/** Starts a process and restarts it when it dies, until it is halted or dies too often. */
export function keepRunning(spec: ChildSpec, context: ChildContext): KeptChild {
  const unwanted = new AbortController();
  const answer = renewablePromise();
  let child: RunningChild | undefined;
  let killAsked = false;
  const logStart = logSize(context.logFile);

  const announceReadiness = async (ready: Promise<void>, againSince?: number): Promise<void> => {
    try {
      await ready;
      if (againSince !== undefined)
        context.report(`${spec.name} is ready again after ${secondsText(Date.now() - againSince)}`);
      answer.given();
    } catch {
      // The process ended before it was ready; the loop handles the exit.
    }
  };

  const runOnce = async (again: boolean): Promise<Exit> => {
    await spec.prepare?.(unwanted.signal);
    unwanted.signal.throwIfAborted();
    child = launch(spec.name, spec.command(), context);
    const over = new AbortController();
    void announceReadiness(spec.ready(child, over.signal), again ? Date.now() : undefined);
    const exit = await child.ended;
    over.abort();
    answer.renew();
    child = undefined;
    return exit;
  };

  const runUntilHalted = async (): Promise<void> => {
    const deaths = countDeaths();
    for (let again = false; ; again = true) {
      const exit = await runOnce(again).catch(exitOfError);
      if (unwanted.signal.aborted) return;
      if (killAsked) killAsked = false;
      else deaths.note();
      const problem = diskProblem(context.logFile, exit);
      const written = lastLines(context.logFile, LAST_LINES, logStart);
      if (problem !== undefined) return context.fail(toFailure(spec.name, problem, written, exit));
      const reason = giveUpReason(spec, deaths, exit);
      if (reason !== undefined)
        return context.fail(describeFailure(spec.name, reason, { file: context.logFile, written }, exit));
      context.report(`${spec.name} ended (${describeExit(exit)}); restarting it`);
      await delay(deaths.pause(), undefined, { signal: unwanted.signal }).catch(() => undefined);
    }
  };

  const running = runUntilHalted();
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

/** A promise that can be replaced by a pending promise after it has resolved. */
function renewablePromise(): { promise: () => Promise<void>; given: () => void; renew: () => void } {
  let current = Promise.withResolvers<void>();
  let resolved = false;
  return {
    promise: () => current.promise,
    given() {
      resolved = true;
      current.resolve();
    },
    renew() {
      if (resolved) current = Promise.withResolvers();
      resolved = false;
    },
  };
}

function secondsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function exitOfError(error: unknown): Exit {
  return { code: null, signal: null, error: new Error(errorMessage(error), { cause: error }) };
}

function giveUpReason(spec: ChildSpec, deaths: Deaths, exit: Exit): string | undefined {
  if (exit.code !== null && spec.fatalCodes?.includes(exit.code) === true)
    return 'cannot run with this configuration';
  return deaths.tooMany();
}

function describeFailure(
  name: string,
  reason: string,
  log: { file: string; written: readonly string[] },
  exit: Exit,
): Failure {
  const last = exit.error?.message ?? lastErrorLine(log.written) ?? describeExit(exit);
  const text = `${reason} (${describeExit(exit)}); its log ${log.file} says: ${last}`;
  return toFailure(name, text, log.written, exit);
}

function toFailure(name: string, text: string, lines: readonly string[], exit: Exit): Failure {
  return { name, exit, lastLines: lines, error: new JobledgerError(`${name} ${text}`) };
}

/**
 * The failure of a child whose disk is full, because each restart would fail too; undefined when the disk is not full.
 * The folder of the logs is in the state directory.
 */
function diskProblem(logFile: string, exit: Exit): string | undefined {
  const full = fullDiskAdvice(path.dirname(path.dirname(logFile)));
  if (full !== undefined) return `ended (${describeExit(exit)}), and ${full}`;
  return isFullDiskError(exit.error)
    ? `ended because a disk is full (${describeExit(exit)}): free some space, and start again`
    : undefined;
}
