/** A numeric instant in an event: milliseconds since 1970, UTC. Instants that are text are RFC 3339. */
export type UnixMs = number;

/** The last instant that RFC 3339 can express, in milliseconds. A later one counts as never. */
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant as the API stores it: RFC 3339 UTC, truncated to the second (J-0.5), so that reading it back gives the same. */
export function apiTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 UTC with milliseconds, at most `LAST_INSTANT`. */
export function isoTime(milliseconds: number): string {
  return new Date(Math.min(milliseconds, LAST_INSTANT)).toISOString();
}

/** Parses an instant of the API into milliseconds since 1970; null when absent or invalid. */
export function parseInstant(text: string | null | undefined): number | null {
  if (text === undefined || text === null) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}
