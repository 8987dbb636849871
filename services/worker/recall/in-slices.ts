import { setImmediate } from 'node:timers/promises';

/** The longest time for which heartbeats and other activities of the worker wait for a fold, in milliseconds. */
const SLICE_MS = 50;

/**
 * Runs work in steps, with pauses for other activities, and returns the result. @throws the reason of `signal` when it
 * is aborted.
 */
export async function runInSlices<T>(work: Generator<undefined, T>, signal: AbortSignal): Promise<T> {
  let since = Date.now();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (Date.now() - since < SLICE_MS) continue;
    await setImmediate();
    signal.throwIfAborted();
    since = Date.now();
  }
}
