import { z } from 'zod';
import { instant, type Columns } from '../tables/table.ts';

// The rows that the command line prints and the API returns, as Postgres gives them (docs/sql.md). The queries select
// the members of these schemas.

/** An instant in a row. */
export const recordedInstant = instant.schema;

/** The descriptions of columns that objects of several kinds have. */
export const OF_ANY = {
  deletion_seen: 'False when the deletion itself was not observed',
  next_decision_at: 'The instant at which the next decision is due without new events',
};

/** The schema of rows with the given columns and descriptions. */
export function viewSchema<C extends Columns>(
  columns: C,
  described: { [Name in keyof C]?: string } = {},
): z.ZodObject<{ -readonly [Name in keyof C]: C[Name]['schema'] }> {
  const members = Object.entries(columns).map(([name, { schema }]) => {
    const description = described[name];
    return [name, description === undefined ? schema : schema.describe(description)];
  });
  return z.object(Object.fromEntries(members)) as never;
}

/** The columns of a view, for `select`. */
export function columnsIn(view: z.ZodObject): string {
  return Object.keys(view.shape).join(', ');
}
