import { InputError } from '../adapters/errors.ts';
import { silentLog } from '../adapters/log.ts';
import { openDatabase, type Run } from '../adapters/postgres/database.ts';
import { RefusedStatementError } from '../adapters/postgres/failures.ts';
import { resolveAddresses } from './addresses.ts';
import type { StateDirOption } from './options.ts';

/** SQLSTATE of a schema, table or function that is not there. */
const MISSING: ReadonlySet<string> = new Set(['3F000', '42P01', '42883']);

/** Runs queries, all on one state of the database, and closes it. */
export async function withDatabase<T>(options: StateDirOption, work: (run: Run) => Promise<T>): Promise<T> {
  const { databaseUrl } = resolveAddresses(options);
  const database = openDatabase({ DATABASE_URL: databaseUrl }, silentLog(), {
    connections: 1,
    name: 'jobledger cli',
  });
  try {
    return await database.transaction(async (run) => {
      await run({ text: 'set transaction isolation level repeatable read, read only', values: [] });
      return work(run);
    });
  } catch (error) {
    throw explained(error);
  } finally {
    await database.close();
  }
}

/** What the error of a database without our schema means to a person; other errors as they are. */
export function explained(error: unknown): unknown {
  if (!(error instanceof RefusedStatementError) || !MISSING.has(error.code)) return error;
  return new InputError('the database has no schema jobledger yet; a projector makes it when it starts');
}
