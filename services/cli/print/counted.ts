/** `1 Job`, `2 Jobs`, `0 Jobs`: for words with a plural in s. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
