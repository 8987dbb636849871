/** Recorded words as read by people: decisions say "1 failed pods", and their text never changes. */
export function singular(words: string): string {
  return words
    .replaceAll(/\b1 (failed pod|container restart)s\b/g, '1 $1')
    .replaceAll(/\b1 failed indexes\b/g, '1 failed index');
}
