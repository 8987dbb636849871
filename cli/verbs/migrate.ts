import type { Command } from 'commander';
import { silentLog } from '../../services/adapters/process/log.ts';
import { openDatabase } from '../../services/adapters/postgres/database.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../services/projector/migrations.ts';
import { resolveAddresses } from '../addresses.ts';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { write, report } from '../output.ts';

/** Adds the verb `migrate`. */
export function registerMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description(
      'migrate the schema in Postgres for this version; services of the previous version keep working during and after it',
    );
  stateDirOption(command).action(run);
}

/** Migrates the schema. */
async function run(options: StateDirOption): Promise<void> {
  const { postgres } = resolveAddresses(options);
  const database = openDatabase(postgres, silentLog());
  try {
    const applied = await migrate(database, MIGRATIONS_FOLDER, { report });
    write(applied.length === 0 ? 'the schema is up to date' : `applied: ${applied.join(', ')}`);
  } finally {
    await database.close();
  }
}
