/** The last instant that RFC 3339 can say, in milliseconds: what lies beyond never comes. */
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant as the API stores it: RFC 3339 UTC, cut to the second (J-0.5), so that it survives its own echo. */
export function apiTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** An instant with milliseconds, for people. Nothing that is recorded lies outside of what RFC 3339 can say. */
export function isoTime(milliseconds: number): string {
  return new Date(Math.min(milliseconds, LAST_INSTANT)).toISOString();
}

/** An instant of the API in milliseconds since the epoch; null when there is none. */
export function instantOf(text: string | null | undefined): number | null {
  if (text === undefined || text === null) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}
