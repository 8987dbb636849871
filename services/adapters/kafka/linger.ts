import { pause } from '../waiting/pause.ts';

/**
 * Returns a function to be called after each fetch with records. Under load, the function waits for `ms` milliseconds,
 * so that the next fetch returns more records at once: a fetch costs the reader and the broker more than a record. The
 * function does not wait when the previous fetch was more than `2 * ms` milliseconds ago, because the next record
 * should then be handled at once.
 */
export function createLinger(ms: number): (signal: AbortSignal) => Promise<void> {
  let last = -Infinity;
  return async (signal) => {
    const isBusy = performance.now() - last < 2 * ms;
    if (isBusy) await pause(ms, signal);
    last = performance.now();
  };
}
