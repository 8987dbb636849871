import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import { PACKAGE_DIR } from '../services/adapters/process/package-dir.ts';

/**
 * Formats the text as `npm run format` does; the ending of the file's name determines the language. @throws if the text
 * is not valid in that language.
 */
export async function formatText(file: string, text: string): Promise<string> {
  const options = JSON.parse(readFileSync(join(PACKAGE_DIR, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
  const { code, errors } = await format(file, text, options);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file} cannot be formatted: ${error.message}`);
  return code;
}
