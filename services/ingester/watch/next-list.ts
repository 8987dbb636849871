/** After a list that took longer than this, in milliseconds, the next list is delayed. */
const LONG_MS = 30_000;
/** The delay after a long list, as a multiple of its duration. */
const TIMES = 10;

/**
 * When the next periodic list is due, in milliseconds. A collection that takes minutes to list would otherwise be listed all
 * the time, and its watch would expire each time.
 */
export function nextListAt(last: { begun: number; ended: number }, auditMs: number): number {
  const took = last.ended - last.begun;
  return took > LONG_MS ? last.ended + Math.max(auditMs, TIMES * took) : last.begun + auditMs;
}
