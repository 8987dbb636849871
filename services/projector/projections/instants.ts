/**
 * What instants before and after them are taken for: a deadline of 10^12 seconds ends in the year 33658. Every clock, Postgres
 * and whoever reads a year of four digits can write them.
 */
const EARLIEST_MS = 0;
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** As the API writes them; every month has 28 days. */
const SECONDS =
  /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/;

/** An instant of the API as the tables hold it: RFC 3339, UTC, milliseconds; null when absent or none. */
export function timestampOf(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  // Nearly all are so: parsing dates is what the projections would do most.
  const usual = SECONDS.exec(text);
  if (usual !== null) return usual[1] === undefined ? `${text.slice(0, -1)}.000Z` : text;
  return instantAt(Date.parse(text));
}

/** The instant that was written last: a decision stands in many rows. */
let last = { milliseconds: 0, text: new Date(0).toISOString() };

/** The same from milliseconds since the epoch, whatever stands in their place. */
export function instantAt(milliseconds: unknown): string | null {
  if (typeof milliseconds !== 'number' || Number.isNaN(milliseconds)) return null;
  const stored = Math.min(Math.max(milliseconds, EARLIEST_MS), LATEST_MS);
  if (stored !== last.milliseconds) last = { milliseconds: stored, text: new Date(stored).toISOString() };
  return last.text;
}

/** A resourceVersion as a number column takes it; what is no number counts as older than all. */
export function versionNumber(resourceVersion: string): string {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion).toString() : '0';
}
