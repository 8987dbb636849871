import type { InEpoch } from '../../../workflows/job/events.ts';

/**
 * Bounds of stored instants; values outside are clamped, for example a deadline of 10^12 seconds, which ends in the
 * year 33658. Every value in between has a four-digit year.
 */
const EARLIEST_MS = 0;
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** The format that the API writes. Only days 1 to 28 are tested, which every month has. */
const SECONDS =
  /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/;

/** An API timestamp as the tables store it: RFC 3339, UTC, milliseconds; null when absent or invalid. */
export function toTimestamp(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  // Fast path: nearly all timestamps have this form, and parsing dates would dominate the projections.
  const usual = SECONDS.exec(text);
  if (usual !== null) return usual[1] === undefined ? `${text.slice(0, -1)}.000Z` : text;
  return instantAt(Date.parse(text));
}

/** The last converted instant, because one decision sets it in many rows. */
let last = { milliseconds: 0, text: new Date(0).toISOString() };

/** Converts milliseconds since 1970; null for any other value. */
export function instantAt(milliseconds: unknown): string | null {
  if (typeof milliseconds !== 'number' || Number.isNaN(milliseconds)) return null;
  const stored = Math.min(Math.max(milliseconds, EARLIEST_MS), LATEST_MS);
  if (stored !== last.milliseconds) last = { milliseconds: stored, text: new Date(stored).toISOString() };
  return last.text;
}

/** The number is more than any resourceVersion, which has 64 bits. */
const EPOCH = 10n ** 30n;

/**
 * A resourceVersion for a numeric column; a text that is not a number counts as the oldest. Each time the API server
 * was restored from an older copy adds 10^30, so that rows, keys and queries have one order across epochs.
 */
export function versionNumber(resourceVersion: string, { epoch = 0 }: InEpoch): string {
  const number = /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
  return (number + BigInt(epoch) * EPOCH).toString();
}
