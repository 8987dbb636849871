/** As the API writes them; every month has 28 days. */
const SECONDS =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/;

/** An instant of the API as the tables hold it: RFC 3339, UTC, milliseconds; null when absent or none. */
export function instant(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  // Nearly all are so: parsing dates is what the projections would do most.
  const usual = SECONDS.exec(text);
  if (usual !== null) return usual[1] === undefined ? `${text.slice(0, -1)}.000Z` : text;
  return instantAt(Date.parse(text));
}

/** The instant that was written last: a decision stands in many rows. */
let last = { milliseconds: 0, text: new Date(0).toISOString() };

/** The same from milliseconds since the epoch. */
export function instantAt(milliseconds: number | null | undefined): string | null {
  if (milliseconds === null || milliseconds === undefined || Number.isNaN(milliseconds)) return null;
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() };
  return last.text;
}

/** A resourceVersion as a number column takes it; what is no number counts as older than all. */
export function versionNumber(resourceVersion: string): string {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion).toString() : '0';
}
