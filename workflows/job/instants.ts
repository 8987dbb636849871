/** An instant as the API stores it: RFC 3339 UTC, cut to the second (J-0.5), so that it survives its own echo. */
export function apiTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** An instant with milliseconds, for people. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** An instant of the API in milliseconds since the epoch; null when there is none. */
export function instantOf(text: string | null | undefined): number | null {
  if (text === undefined || text === null) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}
