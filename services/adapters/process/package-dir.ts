import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder that contains package.json. The folder is searched upwards, because compiled modules are in another folder
 * than their sources.
 */
export const PACKAGE_DIR = folderAbove(import.meta.dirname);

/** The version of this package. */
export const VERSION = readVersion(PACKAGE_DIR);

/** The JavaScript of one of our programs, for example 'services/api/main.ts' (infra/compile.mjs). */
export function compiledProgram(program: string): string {
  return join(PACKAGE_DIR, 'build', 'programs', program.replace(/\.ts$/, '.js'));
}

function folderAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : folderAbove(dirname(folder));
}

function readVersion(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return version;
}
