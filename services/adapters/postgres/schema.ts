import { InputError } from '../errors.ts';
import type { Run } from './database.ts';
import { RefusedStatementError } from './failures.ts';
import { sql } from './statement.ts';

/** The last migration that this version needs; a later version may have applied more. */
export const NEEDED_MIGRATION = '0007-dead-letters.sql';

/** SQLSTATE of a schema, table, column or function that is not there. */
const MISSING: ReadonlySet<string> = new Set(['3F000', '42P01', '42703', '42883']);

/** Whether the statement asked for what an older schema does not have, or none at all. */
export function isMissing({ code }: RefusedStatementError): boolean {
  return MISSING.has(code);
}

/** @throws InputError with what helps, when the schema is too old for this version; a newer one will do. */
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

/** Whether the last migration that is needed was applied; null without a schema. */
async function appliedIn(run: Run): Promise<boolean | null> {
  try {
    const rows = await run(sql`select from jobledger.migrations where name = ${NEEDED_MIGRATION}`);
    return rows.length > 0;
  } catch (error) {
    if (error instanceof RefusedStatementError && isMissing(error)) return null;
    throw error;
  }
}
