import type { Log } from './log.ts';
import { messageOf } from './errors.ts';

/** What a process must close before it goes, in reverse order of `onClose`. */
export interface Shutdown {
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
  onClose(name: string, close: () => Promise<void> | void): void;
  /** Resolves when a stop was asked for. */
  readonly requested: Promise<void>;
  /** Stops as if a signal had come, with this exit status. */
  stop(exitCode: number): void;
}

/** Limit of the orderly stop, in milliseconds: past it the process ends anyway. */
const CLOSE_LIMIT_MS = 4000;

/**
 * Ends the process in order on SIGTERM, SIGINT, or when its parent went away (the IPC channel closed).
 * Further signals change nothing: the stop goes on.
 */
export function listenForShutdown(log: Log): Shutdown {
  const controller = new AbortController();
  const closers: { name: string; close: () => Promise<void> | void }[] = [];
  let resolve: () => void = () => undefined;
  const requested = new Promise<void>((done) => {
    resolve = done;
  });

  const stop = (exitCode: number): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    resolve();
    void closeAll(closers, log).then(() => process.exit(exitCode));
    setTimeout(() => process.exit(exitCode), CLOSE_LIMIT_MS).unref();
  };
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  process.on('disconnect', () => stop(0));

  return {
    signal: controller.signal,
    requested,
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
      log.warn({ part: name, error: messageOf(error) }, 'could not be closed in order');
    }
  }
}

/** Tells whoever started this process that it is ready: a log line, and an IPC message to the supervisor. */
export function announceReady(log: Log, detail: Record<string, unknown> = {}): void {
  log.info(detail, 'ready');
  process.send?.({ type: 'ready', ...detail });
}

/** Returns how to say that one of them is; once all are, `then` is called. */
export function whenAllAre(names: readonly string[], then: () => void): (name: string) => void {
  const waiting = new Set(names);
  return (name) => {
    if (waiting.delete(name) && waiting.size === 0) then();
  };
}
