import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../adapters/process/package-dir.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';

/** The folder of this version's migrations. */
export const MIGRATIONS_FOLDER = join(PACKAGE_DIR, 'services', 'projector', 'migrations');

/** The file of a migration. The text must never change after a release. */
export interface Migration {
  name: string;
  text: string;
  digest: string;
}

/** Reads the migrations in the order in which they are applied. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, digest: computeDigest(text) };
    }),
  );
}

/**
 * False for a file whose first line is `-- no transaction`: the statements of this file run one by one, and run again
 * after an interruption.
 */
export function isInOneTransaction({ text }: Pick<Migration, 'text'>): boolean {
  return !text.startsWith('-- no transaction\n');
}

/** The statements in the text of a migration. A semicolon at the end of a line ends a statement. */
export function splitStatements(text: string): string[] {
  return text
    .replaceAll(/^--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** The name of the index that a statement builds concurrently; null for any other statement. */
export function indexBuiltBy(statement: string): string | null {
  return /^create (?:unique )?index concurrently if not exists (\w+)\s/.exec(statement)?.[1] ?? null;
}
