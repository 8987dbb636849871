import { writeFileSync } from 'node:fs';
import { migrate } from '../../services/projector/migrate.ts';
import { MIGRATIONS, startPostgres } from './real-postgres.ts';
import { dumpSchema, SCHEMA_FILE } from './schema-dump.ts';

// `npm run dump-schema`: writes the schema that the migrations create.

const { database, close } = await startPostgres();
try {
  await migrate(database, MIGRATIONS);
  writeFileSync(SCHEMA_FILE, await dumpSchema(database.run));
} finally {
  await close();
}
