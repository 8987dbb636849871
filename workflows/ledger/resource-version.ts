/**
 * Compares two resourceVersions as numbers: the result is negative when `a` is older. The empty version is older than
 * all other versions.
 */
export function compareVersions(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
