import type { InEpoch } from '../../../workflows/ledger/recorded-event.ts';

/**
 * The bounds of stored instants. Values outside the bounds are clamped, for example a deadline of 10^12 seconds, which
 * ends in the year 33658. Every value within the bounds has a four-digit year.
 */
const EARLIEST_MS = 0;
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** The format that the API writes. The pattern matches only days 1 to 28, which every month has. */
const SECONDS =
  /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/;

/**
 * An API timestamp in the form that the tables store: RFC 3339 in UTC with milliseconds; null when the timestamp is
 * absent or invalid.
 */
export function toTimestamp(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  // This path is fast: nearly all timestamps have this form, and the parsing of dates would dominate the time of the
  // projections.
  const usual = SECONDS.exec(text);
  if (usual !== null) return usual[1] === undefined ? `${text.slice(0, -1)}.000Z` : text;
  return instantAt(Date.parse(text));
}

/** The last converted instant is kept, because one decision sets the same instant in many rows. */
let last = { milliseconds: 0, text: new Date(0).toISOString() };

/** Converts milliseconds since 1970; null for any other value. */
export function instantAt(milliseconds: unknown): string | null {
  if (typeof milliseconds !== 'number' || Number.isNaN(milliseconds)) return null;
  const stored = Math.min(Math.max(milliseconds, EARLIEST_MS), LATEST_MS);
  if (stored !== last.milliseconds) last = { milliseconds: stored, text: new Date(stored).toISOString() };
  return last.text;
}

/** The number that each epoch adds, which is greater than any resourceVersion of 64 bits. */
const EPOCH = 10n ** 30n;

/**
 * A resourceVersion for a numeric column; a text that is not a number counts as the oldest version. Each restore of the
 * API server from an older copy adds 10^30, so that rows, keys and queries have one order across epochs.
 */
export function versionNumber(resourceVersion: string, { epoch = 0 }: InEpoch): string {
  const number = /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
  return (number + BigInt(epoch) * EPOCH).toString();
}
