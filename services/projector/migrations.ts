import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOf } from '../../workflows/job/record/digest.ts';

/** Where the migrations of this version lie. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('migrations', import.meta.url));

/** One file; its text never changes once it has landed. */
export interface Migration {
  name: string;
  text: string;
  digest: string;
}

/** In the order in which they are applied. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, digest: digestOf(text) };
    }),
  );
}

/** False for a file whose first line is `-- no transaction`: each of its statements is run by itself, and again after a cut. */
export function isInOneTransaction({ text }: Pick<Migration, 'text'>): boolean {
  return !text.startsWith('-- no transaction\n');
}

/** The statements of such a file: each ends with a semicolon at the end of a line, and with nothing else there. */
export function statementsOf(text: string): string[] {
  return text
    .replaceAll(/^--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** Name of the index that a statement builds beside its readers and writers; null when it does something else. */
export function indexBuiltBy(statement: string): string | null {
  return /^create (?:unique )?index concurrently if not exists (\w+)\s/.exec(statement)?.[1] ?? null;
}
