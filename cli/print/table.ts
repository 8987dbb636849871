import { printableLine } from '../../services/adapters/printable.ts';

/** Formats rows in columns, each as wide as its widest cell. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return growingTable(titles).lines(rows).join('\n');
}

/** A table whose rows arrive in parts; a column keeps its width from the earlier parts. */
export interface GrowingTable {
  /** The lines of the next rows; the titles precede the first rows. */
  lines(rows: readonly (readonly string[])[]): string[];
}

/** `paint` may colour a padded cell. */
export function growingTable(
  titles: readonly string[],
  paint: (cell: string, title: string) => string = (cell) => cell,
): GrowingTable {
  let widths = titles.map(({ length }) => length);
  let hasTitles = false;
  // One line of the table, with each cell padded to the width of its column.
  const line = (cells: readonly string[], painted: typeof paint): string =>
    cells
      .map((cell, column) => painted(cell.padEnd(widths[column] ?? 0), titles[column] ?? ''))
      .join('   ')
      .trimEnd();
  return {
    lines(given) {
      const rows = given.map((row) => row.map(printableLine));
      widths = widths.map((width, column) =>
        Math.max(width, ...rows.map((row) => (row[column] ?? '').length)),
      );
      const head = hasTitles ? [] : [line(titles, (cell) => cell)];
      hasTitles = true;
      return [...head, ...rows.map((row) => line(row, paint))];
    },
  };
}

/** Formats names with values, one per line; null values are left out. */
export function fields(pairs: readonly (readonly [string, string | null])[]): string {
  const shown = pairs.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const width = Math.max(...shown.map(([name]) => name.length)) + 1;
  return shown.map(([name, value]) => `${`${name}:`.padEnd(width)}  ${printableLine(value)}`).join('\n');
}

/** Indents every line. */
export function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
