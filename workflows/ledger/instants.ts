/** A numeric instant in an event: milliseconds since 1970, UTC. Instants that are text are RFC 3339. */
export type UnixMs = number;

/** The last instant that RFC 3339 can express, in milliseconds. A later instant counts as never. */
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * An instant as the API stores it, in RFC 3339 and UTC, truncated to the second (J-0.5), so that the stored instant
 * equals the written instant.
 */
export function apiTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** An instant in RFC 3339 and UTC with milliseconds, at most `LAST_INSTANT`. */
export function isoTime(milliseconds: number): string {
  return new Date(Math.min(milliseconds, LAST_INSTANT)).toISOString();
}

/** Parses an instant of the API into milliseconds since 1970; returns null for an absent or invalid instant. */
export function parseInstant(text: string | null | undefined): number | null {
  if (text === undefined || text === null) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}
