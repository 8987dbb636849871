/** A file of a month is complete at the earliest a day after the end of the month, because an ingester may append an event late. */
const LATE_MS = 86_400_000;

/** The instant until which rows may change: rows that stay the same from then on are final in a snapshot of `at`, in milliseconds since 1970. */
export function finalBefore(at: number): Date {
  return new Date(at - LATE_MS);
}

/** The first instants of a month such as `2026-11`, and of the next month. */
export function monthBounds(month: string): { from: string; until: string } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const next = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
  return { from: `${month}-01T00:00:00Z`, until: `${next}-01T00:00:00Z` };
}

/** True when the month has ended, and late events of the month are in a snapshot of `at`. */
export function isOver(month: string, at: number): boolean {
  return Date.parse(monthBounds(month).until) <= finalBefore(at).getTime();
}
