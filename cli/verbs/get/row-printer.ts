import { printableLine } from '../../../services/adapters/printable.ts';
import { write, writeColoured } from '../../output.ts';
import { writeJson } from '../../write-json.ts';

export type Format = 'wide' | 'yaml' | 'json' | 'name';

/** The appearance of rows of one kind. */
interface RowTexts<V> {
  table(rows: readonly V[], now: number): string[];
  name(row: V): string;
  /** The columns except those that change with time alone. */
  key(row: V): string;
  /** Printed instead of an empty table. */
  none: string;
}

/** Prints rows in one format. */
export interface PrintRows<V> {
  one(row: V): Promise<void>;
  all(rows: readonly V[]): Promise<void>;
  /** Further rows: one document each, or more lines of the table. */
  more(rows: readonly V[]): Promise<void>;
  /** The data that a printed row depends on, except for the present time. */
  content(row: V): string;
}

/** Without a format, a table. */
export function rowPrinter<V extends object>(format: Format | undefined, texts: RowTexts<V>): PrintRows<V> {
  const value = async (shown: unknown): Promise<void> => {
    if (format === 'json') return writeJson(shown);
    const { stringify } = await import('yaml');
    write(stringify(shown));
  };
  const lines = (rows: readonly V[]): void => {
    const all =
      format === 'name' ? rows.map((row) => printableLine(texts.name(row))) : texts.table(rows, Date.now());
    if (all.length > 0) writeColoured(all.join('\n'));
  };
  const isValue = format === 'json' || format === 'yaml';
  return {
    one: async (row) => (isValue ? value(row) : lines([row])),
    async all(rows) {
      if (isValue) return value(rows);
      if (rows.length === 0 && format !== 'name') write(texts.none);
      else lines(rows);
    },
    async more(rows) {
      if (rows.length === 0) return;
      if (!isValue) return lines(rows);
      for (const row of rows) {
        if (format === 'yaml') write('---');
        await value(row);
      }
    },
    content: (row) => (isValue ? JSON.stringify(row) : texts.key(row)),
  };
}
