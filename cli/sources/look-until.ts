import { report } from '../output.ts';
import { z } from 'zod';
import { UnavailableError } from '../../services/adapters/errors.ts';
import type { ApiCalls } from '../../services/adapters/http/api-calls.ts';
import { pause } from '../../services/adapters/waiting/pause.ts';
import type { ConnectionOptions } from '../server/connection-options.ts';
import type { RowSource } from './row-source.ts';
import { withApiOr, withRows } from './with-rows.ts';

/** Milliseconds between two checks, and before a lost stream is reopened. */
const POLL_MS = 1000;

/** The longest time in milliseconds without a change before the next look. */
const QUIET_MS = 10_000;

/** The events that may change the rows; an absent field matches every event. */
export interface WatchedEvents {
  cluster?: string | undefined;
  namespace?: string | undefined;
  job?: string | undefined;
  uid?: string | undefined;
}

/** Reads the rows once. Returns true when it has seen enough. */
export type Look = (rows: RowSource) => Promise<boolean>;

/**
 * Calls `look` at once and after changes, at most once a second, until `look` returns true or `signal` is aborted. With an API, the API's stream of
 * events shows the changes; without an API, `look` reads the tables each second. A connection error ends the wait only before the first look, and
 * never if `isKnownToAnswer`.
 */
export function lookUntil(
  options: ConnectionOptions,
  about: WatchedEvents,
  { signal, isKnownToAnswer = false }: { signal: AbortSignal; isKnownToAnswer?: boolean },
  look: Look,
): Promise<void> {
  // Runs the first look; repeats it until a server answers if the server is known to answer.
  const runFirstLook = <T>(first: () => Promise<T>): Promise<T | null> =>
    isKnownToAnswer ? untilAnswered(first, signal) : first();
  return withApiOr(options, {
    api: async (api) => {
      const { apiRows } = await import('./api.ts');
      const rows = apiRows(api);
      const begun = await runFirstLook(async () => {
        const position = await presentPosition(api);
        return { position, isOver: await look(rows) };
      });
      if (begun === null || begun.isOver) return;
      const { position } = begun;
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const changes = followChanges(api, about, position, either);
      try {
        await repeatLook(() => look(rows), { signal: either, next: changes.next });
      } finally {
        over.abort();
        await changes.ended;
      }
    },
    async tables() {
      if ((await runFirstLook(() => withRows(options, look))) !== false) return;
      await repeatLook(() => withRows(options, look), { signal, next: () => Promise.resolve() });
    },
  });
}

/** Looks again after each `next` until `look` returns true or the signal is aborted. */
async function repeatLook(
  look: () => Promise<boolean>,
  { signal, next }: { signal: AbortSignal; next: () => Promise<void> },
): Promise<void> {
  for (let isOver = false; !isOver && !signal.aborted;) {
    await next();
    await pause(POLL_MS, signal);
    if (!signal.aborted) isOver = (await resultOrReport(look)) ?? false;
  }
}

/**
 * Repeats an attempt until a server answers it, and returns its result; null if `signal` is aborted first.
 */
async function untilAnswered<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
  for (;;) {
    const result = await resultOrReport(attempt);
    if (result !== null || signal.aborted) return result;
    await pause(POLL_MS, signal);
  }
}

/** The result of an attempt; null, with a printed line, if the server cannot be reached. */
async function resultOrReport<T>(attempt: () => Promise<T>): Promise<T | null> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    report(`${error.message}; trying again`);
    return null;
  }
}

/** The position of the stream of events after the newest event. */
async function presentPosition(api: ApiCalls): Promise<string> {
  const { next } = await api.get('/v1/events', { from: 'now', limit: 1 }, z.object({ next: z.string() }));
  return next === '' ? 'start' : next;
}

interface Changes {
  /**
   * Resolves when something has changed since the last call, after a long time without changes, or when the stream has ended. @throws if the API
   * refuses the stream.
   */
  next(): Promise<void>;
  ended: Promise<void>;
}

/** Follows the API's stream of events from a position, and reopens the stream when it breaks. */
function followChanges(api: ApiCalls, about: WatchedEvents, from: string, signal: AbortSignal): Changes {
  let [position, hasChanged, isOver] = [from, false, false];
  let failure: unknown;
  // Ends the present wait for a change.
  let wake = (): void => undefined;
  // Notes a change, and ends the present wait.
  const changed = (): void => {
    hasChanged = true;
    wake();
  };
  // Reads the stream until `signal` is aborted.
  const read = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        for await (const { id } of api.stream('/v1/events', { ...about, from: position }, signal)) {
          if (id !== '') position = id;
          changed();
        }
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error;
      }
      await pause(POLL_MS, signal);
      // The next look finds the changes that happened without a stream, and shows whether the API answers again.
      changed();
    }
  };
  const ended = read()
    .catch((error: unknown) => void (failure = error))
    .then(() => {
      isOver = true;
      wake();
    });
  return {
    async next() {
      if (!hasChanged && !isOver)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, QUIET_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      hasChanged = false;
      if (failure !== undefined) throw failure;
    },
    ended,
  };
}
