/** Compares two resourceVersions as the numbers that they are: negative when `a` is older. '' is older than all. */
export function compareVersions(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
