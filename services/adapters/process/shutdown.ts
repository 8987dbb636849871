import type { Log } from './log.ts';
import { errorMessage } from '../errors.ts';

/** Collects the resources that a service must close before it ends; they close in reverse order of `onClose`. */
export interface Shutdown {
  /** The signal that is aborted when the service must stop. */
  readonly signal: AbortSignal;
  onClose(name: string, close: () => Promise<void> | void): void;
  /** Resolves when a stop is requested. */
  readonly requested: Promise<void>;
  /** Stops the service in the same way as a signal, with the given exit status. */
  stop(exitCode: number): void;
}

/** The time limit of the orderly shutdown, in milliseconds, after which the process exits in any case. */
export const CLOSE_LIMIT_MS = 4000;

/** Calls `onStopped` once everything is closed, or with `isClosed` false when closing takes longer than the limit. */
export function createShutdown(log: Log, onStopped: (exitCode: number, isClosed: boolean) => void): Shutdown {
  const controller = new AbortController();
  const closers: { name: string; close: () => Promise<void> | void }[] = [];
  const requested = Promise.withResolvers<void>();

  const stop = (exitCode: number): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    requested.resolve();
    const limit = setTimeout(() => onStopped(exitCode, false), CLOSE_LIMIT_MS).unref();
    void closeAll(closers, log).then(() => {
      clearTimeout(limit);
      onStopped(exitCode, true);
    });
  };

  return {
    signal: controller.signal,
    requested: requested.promise,
    stop,
    onClose: (name, close) => closers.push({ name, close }),
  };
}

/** Shuts the process down in order when it gets a signal to end. */
export function listenForShutdown(log: Log): Shutdown {
  const shutdown = createShutdown(log, (exitCode) => process.exit(exitCode));
  onEndSignal(() => shutdown.stop(0));
  return shutdown;
}

/** Calls `end` on SIGTERM, SIGINT, and when the parent of the process exits (the IPC channel closes). */
export function onEndSignal(end: () => void): void {
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('disconnect', end);
}

async function closeAll(
  closers: { name: string; close: () => Promise<void> | void }[],
  log: Log,
): Promise<void> {
  for (const { name, close } of closers.toReversed()) {
    try {
      await close();
    } catch (error) {
      log.warn({ part: name, error: errorMessage(error) }, 'close failed');
    }
  }
}

/** Reports readiness: a log line, and an IPC message to the supervisor. */
export function announceReady(log: Log, detail: Record<string, unknown> = {}): void {
  log.info(detail, 'ready');
  process.send?.({ type: 'ready', ...detail });
}

/** Returns a function that marks one name as done. Calls `then` once all names are done. */
export function whenAllReady(names: readonly string[], then: () => void): (name: string) => void {
  const waiting = new Set(names);
  return (name) => {
    if (waiting.delete(name) && waiting.size === 0) then();
  };
}
