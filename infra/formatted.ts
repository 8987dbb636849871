import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import { PACKAGE_DIR } from '../services/adapters/process/package-dir.ts';

/** The text as `npm run format` writes it to the file, whose ending names the language. @throws if it is not of that language. */
export async function formatText(file: string, text: string): Promise<string> {
  const options = JSON.parse(readFileSync(join(PACKAGE_DIR, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
  const { code, errors } = await format(file, text, options);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file} cannot be formatted: ${error.message}`);
  return code;
}
