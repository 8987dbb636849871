import { columnsOf, jsonText, type ColumnType, type Table } from '../tables/table.ts';

/** Makes a row a line in the text format of COPY, its columns in order. */
export function copyLineOf<Row>(table: Table<Row>): (row: Row) => string {
  const columns = columnsOf(table).map((column) => ({ column, type: table.columns[column] }));
  return (row) => `${columns.map(({ column, type }) => copyText(type, row[column])).join('\t')}\n`;
}

/** A value as COPY reads it: numbers and booleans are as in JSON. */
function copyText(type: ColumnType, value: unknown): string {
  if (value === null || value === undefined) return String.raw`\N`;
  if (type === 'jsonb') return escapedJson(jsonText(value));
  return typeof value === 'string' ? escaped(value) : JSON.stringify(value);
}

/** The same as `escaped`, for long texts that seldom hold such a sign: looking for one of them is fastest. */
function escapedJson(json: string): string {
  return SIGNS.some((sign) => json.includes(sign)) ? escaped(json) : json;
}

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? sign) : text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
};
const SIGNS = Object.keys(ESCAPES);
