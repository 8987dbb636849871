import { readFileSync, writeFileSync } from 'node:fs';
import { COLUMNS_PAGE, columnsPage, functionsIn, relationsIn } from './columns.ts';

// `npm run columns`: writes docs/sql-columns.md from the schema's dump. --check, part of `npm run check`, compares.
const schema = readFileSync('services/projector/schema.sql', 'utf8');
const relations = relationsIn(schema);
const text = columnsPage(relations, functionsIn(schema));
const columns = relations.reduce((sum, relation) => sum + relation.columns.length, 0);
if (!process.argv.includes('--check')) writeFileSync(COLUMNS_PAGE, text);
else if (text !== readFileSync(COLUMNS_PAGE, 'utf8')) {
  process.stdout.write(
    `${COLUMNS_PAGE} does not have the columns of services/projector/schema.sql: run "npm run columns"\n`,
  );
  process.exitCode = 1;
}
process.stdout.write(`columns: ${columns} of ${relations.length} tables and views\n`);
