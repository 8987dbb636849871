import { writeFileSync } from 'node:fs';
import { formatText } from '../formatted.ts';
import { boardJson } from './boards/board.ts';
import { BOARDS } from './boards/boards.ts';

// `npm run dashboards` writes the dashboards as the JSON that Grafana reads.
for (const board of BOARDS) {
  const file = `infra/grafana/dashboards/${board.uid}.json`;
  writeFileSync(file, await formatText(file, JSON.stringify(boardJson(board))));
}
