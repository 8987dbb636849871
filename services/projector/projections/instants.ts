/** An instant of the API as the tables hold it: RFC 3339, UTC, milliseconds; null when absent or none. */
export function instant(text: string | null | undefined): string | null {
  return instantAt(Date.parse(text ?? ''));
}

/** The same from milliseconds since the epoch. */
export function instantAt(milliseconds: number | null | undefined): string | null {
  if (milliseconds === null || milliseconds === undefined || Number.isNaN(milliseconds)) return null;
  return new Date(milliseconds).toISOString();
}

/** A resourceVersion as a number column takes it; what is no number counts as older than all. */
export function versionNumber(resourceVersion: string): string {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion).toString() : '0';
}
