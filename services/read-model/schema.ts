import { InputError } from '../adapters/errors.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { isMissing, RefusedStatementError } from '../adapters/postgres/failures.ts';
import { sql } from '../adapters/postgres/statement.ts';

/** The last migration that this version needs. A later version may have applied more. */
export const NEEDED_MIGRATION = '0001-schema.sql';

/** @throws InputError with advice when the schema is missing or too old for this version. A newer schema is fine. */
export async function requireSchema(run: Run): Promise<void> {
  const applied = await appliedIn(run);
  if (applied === null)
    throw new InputError(
      'the database has no schema jobledger yet: run "jobledger migrate", or start a projector',
    );
  if (!applied)
    throw new InputError(
      `the schema jobledger of this database is too old for this version of Jobledger, it lacks ${NEEDED_MIGRATION}: run "jobledger migrate", or start a projector of this version`,
    );
}

/** The migration that was applied last, such as `0001-schema.sql`; null when there is none. */
export async function newestMigration(run: Run): Promise<string | null> {
  const [newest] = await run<{ name: string | null }>(
    sql`select max(name) as name from jobledger.migrations`,
  );
  return newest?.name ?? null;
}

/** True when the needed migration was applied; null without a schema. */
async function appliedIn(run: Run): Promise<boolean | null> {
  try {
    const rows = await run(sql`select from jobledger.migrations where name = ${NEEDED_MIGRATION}`);
    return rows.length > 0;
  } catch (error) {
    if (error instanceof RefusedStatementError && isMissing(error)) return null;
    throw error;
  }
}
