import type { Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';

/** The role of dashboards: it reads the schema and writes nothing. People log in as roles that are members of it. */
export const READER = 'jobledger_reader';

/** Roles belong to the whole server: another database may be making it now, and not every user may make one. */
const CREATE = `
do $$ begin
  create role ${READER} nologin;
exception
  when duplicate_object or unique_violation or insufficient_privilege then null;
end $$`;

/** What is there, and what is created later: partitions of events, tables of later migrations. */
const GRANTS = `
grant usage on schema jobledger to ${READER};
grant select on all tables in schema jobledger to ${READER};
grant execute on all functions in schema jobledger to ${READER};
alter default privileges in schema jobledger grant select on tables to ${READER};
alter default privileges in schema jobledger grant execute on functions to ${READER}`;

/** Makes the role when it is missing and may be made, and lets it read. */
export async function grantReader(run: Run): Promise<void> {
  if (!(await hasReader(run))) await run({ text: CREATE, values: [] });
  if ((await hasReader(run)) && !(await mayRead(run))) await run({ text: GRANTS, values: [] });
}

/** False when the role is missing because the user of the database may not make one. */
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
