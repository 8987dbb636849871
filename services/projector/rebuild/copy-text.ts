import { columnNames, jsonText } from '../statements.ts';
import { type Table } from '../../read-model/tables/table.ts';

/** Returns a function that encodes a row as a line of COPY's text format. */
export function copyLineFormatter<Row>(table: Table<Row>): (row: Row) => string {
  const columns = columnNames(table).map((column) => ({
    column,
    isJson: table.columns[column].sql === 'jsonb',
  }));
  return (row) => {
    const fields = columns.map(({ column, isJson }) => {
      const value = row[column];
      if (value === null || value === undefined) return NULL;
      return escapeText(isJson ? jsonText(value) : String(value));
    });
    return `${fields.join('\t')}\n`;
  };
}

const NULL = String.raw`\N`;

/** https://www.postgresql.org/docs/18/sql-copy.html#SQL-COPY-FILE-FORMATS */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
};

function escapeText(text: string): string {
  return text.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}
