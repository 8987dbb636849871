import { InputError } from '../../adapters/errors.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { needsMissingPart, RefusedStatementError } from '../../adapters/postgres/failures.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { refuseInput, type ServiceContext } from '../../adapters/process/run-service.ts';
import { retry } from '../../adapters/waiting/retry.ts';
import { requireOwnStamp } from '../../installation/stamp.ts';

/** The last migration that this version needs. A later version may have applied more. */
export const NEEDED_MIGRATION = '0001-schema.sql';

/**
 * Checks the schema; a newer schema is accepted. @throws InputError with advice when the schema is missing, too old for
 * this version, or made by another unreleased version.
 */
export async function requireSchema(run: Run): Promise<void> {
  const applied = await tryReadMigrations(run);
  if (applied === null)
    throw new InputError(
      'the database has no schema jobledger yet: run "jobledger admin migrate", or start a projector',
    );
  requireOwnSchema(applied);
  if (applied.every(({ name }) => name !== NEEDED_MIGRATION))
    throw new InputError(
      `the schema jobledger of this database is too old for this version of Jobledger: it lacks ${NEEDED_MIGRATION}; run "jobledger admin migrate", or start a projector of this version`,
    );
}

/** The migration that was applied last, such as `0001-schema.sql`; null without a migration. */
export async function newestMigration(run: Run): Promise<string | null> {
  const [newest] = await run<{ name: string | null }>(
    sql`select max(name) as name from jobledger.migrations`,
  );
  return newest?.name ?? null;
}

/** An applied migration, with the stamp of the version that applied it; null when that version recorded no stamp. */
export interface AppliedMigration {
  name: string;
  digest: string;
  stamp: string | null;
}

/**
 * Reads the applied migrations. The stamp is read as JSON, because the table of another unreleased version may lack the
 * column.
 */
export function appliedMigrations(run: Run): Promise<AppliedMigration[]> {
  return run<AppliedMigration>(
    sql`select name, digest, to_jsonb(m) ->> 'stamp' as stamp from jobledger.migrations m order by name`,
  );
}

/** Checks the stamps of the migrations. @throws InputError when another unreleased version has made the schema. */
export function requireOwnSchema(applied: readonly AppliedMigration[]): void {
  for (const { stamp } of applied) requireOwnStamp('the schema jobledger of this database', stamp);
}

/** Ends a service that also works without Postgres, as soon as Postgres answers that another unreleased version has made the schema. */
export function refuseOtherSchema(
  run: Run,
  { signal, refuse }: { signal: AbortSignal } & Pick<ServiceContext, 'refuse'>,
): void {
  retry(async () => requireOwnSchema(await appliedMigrations(run)), { signal })
    .catch(refuseInput(refuse))
    .catch(() => undefined);
}

/** The applied migrations; null when the schema does not exist. */
async function tryReadMigrations(run: Run): Promise<AppliedMigration[] | null> {
  try {
    return await appliedMigrations(run);
  } catch (error) {
    if (error instanceof RefusedStatementError && needsMissingPart(error)) return null;
    throw error;
  }
}
