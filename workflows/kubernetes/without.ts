/** The labels or annotations, without the entries of these names. */
export function withoutEntries(
  values: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}
