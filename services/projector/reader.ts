import type { Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';

/**
 * The role for dashboards, which has read access to the schema. Users log in with roles that are members of this role.
 */
export const READER = 'jobledger_reader';

/**
 * Creates the role for dashboards. Errors are ignored: roles are global to the server, so another database may create
 * the role at the same time, and not every user may create roles.
 */
const CREATE = `
do $$ begin
  create role ${READER} nologin;
exception
  when duplicate_object or unique_violation or insufficient_privilege then null;
end $$`;

/**
 * Grants access to existing objects and to objects that are created later, such as partitions of `events` and tables of
 * later migrations.
 */
const GRANTS = `
grant usage on schema jobledger to ${READER};
grant select on all tables in schema jobledger to ${READER};
grant execute on all functions in schema jobledger to ${READER};
alter default privileges in schema jobledger grant select on tables to ${READER};
alter default privileges in schema jobledger grant execute on functions to ${READER}`;

/** Creates the role if it is missing and may be created, and grants it read access. */
export async function grantReader(run: Run): Promise<void> {
  if (!(await hasReader(run))) await run({ text: CREATE, values: [] });
  if ((await hasReader(run)) && !(await mayRead(run))) await run({ text: GRANTS, values: [] });
}

/** False when the role is missing because the database user may not create roles. */
export async function hasReader(run: Run): Promise<boolean> {
  const rows = await run(sql`select from pg_roles where rolname = ${READER}`);
  return rows.length > 0;
}

async function mayRead(run: Run): Promise<boolean> {
  const rows = await run<{ may: boolean }>(
    sql`select has_schema_privilege(${READER}, 'jobledger', 'usage') as may`,
  );
  return rows[0]?.may === true;
}
