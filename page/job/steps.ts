/**
 * The instant of the first decision after `at`, or of the last decision before `at`; null when no such decision exists.
 * `at` null: now.
 */
export function stepFrom(
  instants: readonly number[],
  at: number | null,
  direction: 'next' | 'previous',
): number | null {
  const sorted = instants.toSorted((a, b) => a - b);
  if (direction === 'next') return at === null ? null : (sorted.find((each) => each > at) ?? null);
  return sorted.findLast((each) => at === null || each < at) ?? null;
}
