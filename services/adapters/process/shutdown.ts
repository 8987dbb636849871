import type { Log } from './log.ts';
import { messageOf } from '../errors.ts';

/** Collects what a process must close before it exits; closes run in reverse order of `onClose`. */
export interface Shutdown {
  /** Aborted when the process is to stop. */
  readonly signal: AbortSignal;
  onClose(name: string, close: () => Promise<void> | void): void;
  /** Resolves when a stop is requested. */
  readonly requested: Promise<void>;
  /** Stops as on a signal, with this exit status. */
  stop(exitCode: number): void;
}

/** Limit of the orderly shutdown, in milliseconds; after it the process exits anyway. */
const CLOSE_LIMIT_MS = 4000;

/**
 * Shuts the process down in order on SIGTERM, SIGINT, or when its parent exits (the IPC channel closes).
 * Further signals are ignored.
 */
export function listenForShutdown(log: Log): Shutdown {
  const controller = new AbortController();
  const closers: { name: string; close: () => Promise<void> | void }[] = [];
  const requested = Promise.withResolvers<void>();

  const stop = (exitCode: number): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    requested.resolve();
    void closeAll(closers, log).then(() => process.exit(exitCode));
    setTimeout(() => process.exit(exitCode), CLOSE_LIMIT_MS).unref();
  };
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  process.on('disconnect', () => stop(0));

  return {
    signal: controller.signal,
    requested: requested.promise,
    stop,
    onClose: (name, close) => closers.push({ name, close }),
  };
}

async function closeAll(
  closers: { name: string; close: () => Promise<void> | void }[],
  log: Log,
): Promise<void> {
  for (const { name, close } of closers.toReversed()) {
    try {
      await close();
    } catch (error) {
      log.warn({ part: name, error: messageOf(error) }, 'close failed');
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
