import type { Run } from '../../adapters/postgres/database.ts';
import { RefusedStatementError } from '../../adapters/postgres/failures.ts';
import { sql } from '../../adapters/postgres/statement.ts';

/** Reads the horizon: Jobs that ended before this instant were removed from the tables. Null means that there is no horizon. */
export async function readHorizon(run: Run): Promise<string | null> {
  const [found] = await run<{ horizon: string | null }>(sql`select jobledger.horizon() as horizon`);
  return found?.horizon ?? null;
}

/** The SQLSTATE of the schema's functions for an instant before the horizon. */
const BEFORE_HORIZON = 'JL001';

export function isBeforeHorizon(error: unknown): error is RefusedStatementError {
  return error instanceof RefusedStatementError && error.code === BEFORE_HORIZON;
}
