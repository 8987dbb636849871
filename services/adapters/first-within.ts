/** The first items, in order, whose sizes add up to at most `max`; at least one item, even when it is larger. */
export function firstWithin<T>(items: readonly T[], measure: (item: T) => number, max: number): T[] {
  let total = 0;
  const end = items.findIndex((item, at) => {
    total += measure(item);
    return at > 0 && total > max;
  });
  return items.slice(0, end === -1 ? items.length : end);
}
