// Sets of completion indexes in the notation of the API, such as `0-3,5`.

/** The union of the sets, in the notation of the API. */
export function unionSets(sets: readonly string[]): string {
  const ranges: [number, number][] = [];
  for (const [first, last] of sets.flatMap(rangesIn).toSorted((a, b) => a[0] - b[0])) {
    const before = ranges.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else ranges.push([first, last]);
  }
  return ranges
    .map(([first, last]) =>
      first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`,
    )
    .join(',');
}

/** The number of indexes in a set. */
export function countInSet(set: string): number {
  return rangesIn(set).reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** The ranges of a set, each with its first and last index. */
function rangesIn(set: string): [number, number][] {
  return set
    .split(',')
    .filter((part) => part !== '')
    .map((part): [number, number] => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return [first, last];
    });
}
