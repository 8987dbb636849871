import type { CopyIn, Session } from '../../adapters/postgres/session.ts';
import { columnsOf, valuesOfKey, type ColumnType, type Table } from '../tables/table.ts';

/** Text that goes to Postgres at a time. */
const CHUNK = 256 * 1024;

/** The table beside a live one: of this session alone, and gone with it. */
export function shadowOf<Row>({ name }: Table<Row>): string {
  return `pg_temp.rebuilt_${name}`;
}

/** Makes the table beside a live one, with the same columns and no index. */
export async function createShadow<Row>({ run }: Session, table: Table<Row>): Promise<void> {
  await run({ text: `create temp table rebuilt_${table.name} (like jobledger.${table.name})`, values: [] });
}

/** Adds rows to a table beside a live one. No statement may run until `end`. */
export interface ShadowWriter<Row> {
  add(row: Row): Promise<void> | undefined;
  end(): Promise<void>;
}

export function writeShadow<Row>(session: Session, table: Table<Row>): ShadowWriter<Row> {
  const columns = columnsOf(table);
  const copy: CopyIn = session.copyIn(`copy ${shadowOf(table)} (${columns.join(', ')}) from stdin`);
  let lines = '';
  const flush = (): Promise<void> => {
    const full = lines;
    lines = '';
    return copy.write(full);
  };
  return {
    add(row) {
      lines += `${columns.map((column) => copyText(table.columns[column], row[column])).join('\t')}\n`;
      return lines.length > CHUNK ? flush() : undefined;
    },
    async end() {
      if (lines !== '') await flush();
      await copy.end();
    },
  };
}

/** A value in the text format of COPY: numbers and booleans are as in JSON. */
export function copyText(type: ColumnType, value: unknown): string {
  if (value === null || value === undefined) return String.raw`\N`;
  if (typeof value === 'string' && type !== 'jsonb') return escaped(value);
  const json = JSON.stringify(value);
  // Of what COPY reads otherwise, JSON holds backslashes only.
  return json.includes('\\') ? escaped(json) : json;
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

/** Takes rows out of a table beside a live one, by the text of their keys. */
export async function forget<Row>(
  { run }: Session,
  table: Table<Row>,
  keys: Iterable<string>,
): Promise<void> {
  const values = [...keys].map(valuesOfKey);
  if (values.length === 0) return;
  const arrays = table.key.map((column, at) => `$${at + 1}::${table.columns[column]}[]`);
  await run({
    text: `delete from ${shadowOf(table)} where (${table.key.join(', ')}) in (select * from unnest(${arrays.join(', ')}))`,
    values: table.key.map((_column, at) => values.map((key) => key[at])),
  });
}
