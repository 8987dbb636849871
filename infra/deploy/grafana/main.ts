import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import { boardJson } from './boards/board.ts';
import { BOARDS } from './boards/boards.ts';

// `npm run dashboards` writes the dashboards as the JSON that Grafana reads.
for (const board of BOARDS) {
  const file = `infra/deploy/grafana/dashboards/${board.uid}.json`;
  writeFileSync(file, await formatText(file, JSON.stringify(boardJson(board))));
}

/**
 * Formats the text as `npm run format` does; the ending of the file's name determines the language. @throws if the text
 * is not valid in that language.
 */
async function formatText(file: string, text: string): Promise<string> {
  const options = JSON.parse(readFileSync(join(PACKAGE_DIR, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
  const { code, errors } = await format(file, text, options);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file} cannot be formatted: ${error.message}`);
  return code;
}
