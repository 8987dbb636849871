/** The duration of a list beyond which the next list is delayed, in milliseconds. */
const LONG_MS = 30_000;
/** The delay after a long list, as a multiple of its duration. */
const TIMES = 10;

/**
 * The time at which the next periodic list is due, in milliseconds. A collection that takes minutes to list would
 * otherwise be listed all the time, and its watch would expire each time.
 */
export function nextListAt(last: { begun: number; ended: number }, auditMs: number): number {
  const took = last.ended - last.begun;
  return took > LONG_MS ? last.ended + Math.max(auditMs, TIMES * took) : last.begun + auditMs;
}
