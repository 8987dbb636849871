/** Compares two resourceVersions as numbers: negative when `a` is older. '' is older than all. */
export function compareVersions(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
