import { writeFileSync } from 'node:fs';
import { formatText } from '../formatted.ts';
import { boardJson } from './boards/board.ts';
import { BOARDS } from './boards/boards.ts';

/** Writes the dashboards as the JSON that Grafana reads: `npm run dashboards`. */
for (const board of BOARDS) {
  const file = `infra/grafana/dashboards/${board.uid}.json`;
  writeFileSync(file, await formatText(file, JSON.stringify(boardJson(board))));
}
