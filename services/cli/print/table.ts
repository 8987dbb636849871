/** Formats rows in columns, each as wide as its widest cell. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd();
  return [line(titles), ...rows.map(line)].join('\n');
}

/** Formats names with values, one per line; null values are left out. */
export function fields(pairs: readonly (readonly [string, string | null])[]): string {
  const shown = pairs.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const width = Math.max(...shown.map(([name]) => name.length)) + 1;
  return shown.map(([name, value]) => `${`${name}:`.padEnd(width)}  ${value}`).join('\n');
}

/** Indents every line. */
export function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
