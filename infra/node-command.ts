import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder that contains package.json. */
export const PACKAGE_DIR = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The command that runs one of our TypeScript programs as a separate process, from any working directory. */
export function nodeCommand(program: string): { file: string; args: string[] } {
  const loader = createRequire(import.meta.url).resolve('tsx');
  return {
    file: process.execPath,
    args: ['--import', pathToFileURL(loader).href, path.join(PACKAGE_DIR, program)],
  };
}
