/** `1 Job`, `2 Jobs`, `0 Jobs`: of words that take an s. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
