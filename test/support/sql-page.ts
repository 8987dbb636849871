import { readFileSync } from 'node:fs';
import { escapeLiteral, type Pool } from 'pg';
import { table } from '../../cli/print/table.ts';

/** docs/sql.md, whose queries a test runs and a benchmark times. */
export const SQL_PAGE = 'docs/sql.md';

/** Rows of an answer that the page shows. */
const SHOWN = 10;

/** One question of the page. */
export interface Question {
  title: string;
  /** With variables as in psql: `:'name'`. */
  statement: string;
  /** The answer that the page shows. */
  answer: string;
  /** It asks about one Job; otherwise about all. */
  isOfJob: boolean;
}

/** The questions of the page, in order, and the variables of its answers. */
export function readSqlPage(): { text: string; questions: Question[]; variables: Record<string, string> } {
  const text = readFileSync(SQL_PAGE, 'utf8');
  const found = text.matchAll(/^### (.+)\n(?:(?!###|```).*\n)*?```sql\n([^`]+)```\n\n```text\n([^`]*)```$/gm);
  const questions = [...found].map(([, title = '', statement = '', answer = '']) => ({
    title,
    statement,
    answer,
    isOfJob: statement.includes(`:'job'`),
  }));
  const variables = Object.fromEntries(
    [...text.matchAll(/ -v (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
  return { text, questions, variables };
}

/** The statement as psql would send it. @throws for a variable without a value. */
export function withVariables(statement: string, values: Readonly<Record<string, string>>): string {
  return statement.replaceAll(/:'(\w+)'/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the variable ${name} has no value`);
    return escapeLiteral(value);
  });
}

/** Titles and rows as psql shows them, each value in the server's own text form. */
export async function ask(pool: Pool, statement: string): Promise<{ columns: string[]; rows: string[][] }> {
  const types = { getTypeParser: () => (value: string) => value };
  const { fields, rows } = await pool.query<(string | null)[]>({ text: statement, rowMode: 'array', types });
  return {
    columns: fields.map(({ name }) => name),
    rows: rows.map((row) => row.map((value) => value ?? '')),
  };
}

/** An answer as the page shows it: its first rows, and their total number. */
export function asText({ columns, rows }: { columns: string[]; rows: string[][] }): string {
  const count = rows.length > SHOWN ? `\n… (${rows.length} rows)` : '';
  return `${table(columns, rows.slice(0, SHOWN))}${count}\n`;
}

/** The page with other answers, in the order of its questions. */
export function withAnswers(text: string, answers: readonly string[]): string {
  const next = answers.values();
  return text.replaceAll(/(?<=^```text\n)[^`]*(?=```$)/gm, (old) => next.next().value ?? old);
}
