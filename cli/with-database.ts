import { InputError } from '../services/adapters/errors.ts';
import { silentLog } from '../services/adapters/process/log.ts';
import { openDatabase, type Database, type Run } from '../services/adapters/postgres/database.ts';
import { needsMissingPart, RefusedStatementError } from '../services/adapters/postgres/failures.ts';
import { requireSchema } from '../services/read-model/state/schema.ts';
import { resolveAddresses } from './addresses.ts';
import type { StateDirOption } from './options.ts';

/** Runs queries on one read-only snapshot, and closes the database. */
export function withDatabase<T>(options: StateDirOption, work: (run: Run) => Promise<T>): Promise<T> {
  return withOpenDatabase(options, (database) =>
    database.transaction(async (run) => {
      await run({ text: 'set transaction isolation level repeatable read, read only', values: [] });
      await requireSchema(run);
      return work(run);
    }),
  );
}

/** Opens the database for any statements, runs `work` on one connection, and closes the database. */
export async function withOpenDatabase<T>(
  options: StateDirOption,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { postgres } = resolveAddresses(options);
  const database = openDatabase(postgres, silentLog(), {
    connections: 1,
    name: 'jobledger cli',
  });
  try {
    return await work(database);
  } catch (error) {
    throw withAdvice(error);
  } finally {
    await database.close();
  }
}

/** Converts the error of a missing or outdated schema to one with advice; returns other errors unchanged. */
export function withAdvice(error: unknown): unknown {
  if (!(error instanceof RefusedStatementError) || !needsMissingPart(error)) return error;
  return new InputError(
    'the schema jobledger of this database is missing or too old: run "jobledger admin migrate", or start a projector',
  );
}
