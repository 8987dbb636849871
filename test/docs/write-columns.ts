import { readFileSync, writeFileSync } from 'node:fs';
import { formatted } from '../../infra/formatted.ts';
import { SQL_PAGE } from '../support/sql-page.ts';
import { relationsIn, withColumns } from './columns.ts';

// `npm run columns`: writes the columns of the schema's dump to docs/sql.md. --check, part of `npm run check`, compares.
const page = readFileSync(SQL_PAGE, 'utf8');
const relations = relationsIn(readFileSync('services/projector/schema.sql', 'utf8'));
const text = await formatted(SQL_PAGE, withColumns(page, relations));
const columns = relations.reduce((sum, relation) => sum + relation.columns.length, 0);
if (!process.argv.includes('--check')) writeFileSync(SQL_PAGE, text);
else if (text !== page) {
  process.stdout.write(
    `${SQL_PAGE} does not have the columns of services/projector/schema.sql: run "npm run columns"\n`,
  );
  process.exitCode = 1;
}
process.stdout.write(`columns: ${columns} of ${relations.length} tables and views\n`);
