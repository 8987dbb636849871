/** The indexes in a text such as "0-2,5". */
export function indexesIn(text = ''): number[] {
  if (text === '') return [];
  return text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_none, at) => first + at);
  });
}

/** The text of some indexes, as the API writes it. */
export function indexesText(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].toSorted((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length;) {
    let end = at;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    const [first, last] = [sorted[at], sorted[end]];
    parts.push(end === at ? `${first}` : end === at + 1 ? `${first},${last}` : `${first}-${last}`);
    at = end + 1;
  }
  return parts.join(',');
}
