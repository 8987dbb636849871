import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { boardJson } from './boards/board.ts';
import { BOARDS } from './boards/boards.ts';

/** Writes the dashboards as the JSON that Grafana reads: `npm run dashboards`. */
for (const board of BOARDS) {
  const file = `infra/grafana/dashboards/${board.uid}.json`;
  const options = { ...(await resolveConfig(file)), filepath: file };
  writeFileSync(file, await format(JSON.stringify(boardJson(board)), options));
}
