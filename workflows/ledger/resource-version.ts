/**
 * Compares two resourceVersions as numbers: the result is negative when `a` is older. Both versions must be of one
 * epoch, and must be decimal numbers without leading zeros, as text. The empty version is older than all other
 * versions.
 */
export function compareVersions(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
