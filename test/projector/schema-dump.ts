import { join } from 'node:path';
import type { Run } from '../../services/adapters/postgres/database.ts';

/** The committed dump; test/integration/migrations.test.ts compares it with what the migrations create. */
export const SCHEMA_FILE = join(process.cwd(), 'services/projector/schema.sql');

const HEADER = `-- The schema "jobledger" after all migrations, from Postgres' catalogs. "npm run dump-schema" makes this file: to read,
-- not to run. Indexes, triggers and grants stand below their table. The monthly partitions of events are left out.
`;

/** The schema as text: tables, views and functions by name, columns in the order of their table. */
export async function dumpSchema(run: Run): Promise<string> {
  const rows = async <Row>(text: string): Promise<Row[]> => run<Row & object>({ text, values: [] });
  const parts = [
    HEADER,
    ...(await rows<Described>(SCHEMA)).map(schemaText),
    ...(await rows<Table>(TABLES)).map(tableText),
    ...(await rows<View>(VIEWS)).map(viewText),
    ...(await rows<Defined>(FUNCTIONS)).map(functionText),
    (await rows<{ text: string }>(DEFAULT_GRANTS)).map(({ text }) => `${text};\n`).join(''),
  ];
  return parts.join('\n');
}

interface Described {
  comment: string | null;
  /** The rights of roles other than the owner. */
  grants: string[];
}

interface Table extends Described {
  name: string;
  columns: { name: string; text: string; comment: string | null }[];
  constraints: string[];
  partitions: string | null;
  indexes: string[];
  triggers: string[];
}

interface View extends Described {
  name: string;
  columns: { name: string; text: string; comment: string | null }[];
  definition: string;
}

interface Defined extends Described {
  definition: string;
}

function schemaText({ comment, grants }: Described): string {
  return `${commentText(comment)}create schema jobledger;\n${ended(grants)}`;
}

function tableText(table: Table): string {
  const { name, comment, columns, constraints, partitions, indexes, triggers, grants } = table;
  const columnLines = columns.map((column) => `${commentText(column.comment, '  ')}  ${column.text},\n`);
  const constraintLines = constraints.map((each) => `  ${each},\n`);
  const body = [...columnLines, ...constraintLines].join('').replace(/,\n$/, '\n');
  const end = partitions === null ? ')' : `) partition by ${partitions}`;
  return `${commentText(comment)}create table ${name} (\n${body}${end};\n${ended([...indexes, ...triggers, ...grants])}`;
}

function viewText({ name, comment, columns, definition, grants }: View): string {
  const columnLines = columns.map((column) => `--   ${column.text}: ${column.comment ?? ''}\n`).join('');
  return `${commentText(comment)}${columnLines}create view ${name} as\n${definition}\n${ended(grants)}`;
}

function functionText({ comment, definition, grants }: Defined): string {
  return `${commentText(comment)}${definition.trimEnd()};\n${ended(grants)}`;
}

function commentText(comment: string | null, indent = ''): string {
  return comment === null ? '' : `${indent}-- ${comment.replaceAll('\n', `\n${indent}-- `)}\n`;
}

function ended(statements: readonly string[]): string {
  return statements.map((each) => `${each};\n`).join('');
}

/** One statement for each role except the owner, who has all rights. */
const grantsOn = (what: string, acl: string, owner: string): string => `
  array(
    select format('grant %s on %s to %s', lower(string_agg(privilege_type, ', ' order by privilege_type)), ${what},
      case grantee when 0 then 'public' else grantee::regrole::text end)
    from aclexplode(${acl})
    where grantee <> ${owner}
    group by grantee
    order by grantee::regrole::text collate "C"
  ) as grants`;

const SCHEMA = `
  select obj_description(oid, 'pg_namespace') as comment, ${grantsOn("'schema jobledger'", 'nspacl', 'nspowner')}
  from pg_namespace
  where nspname = 'jobledger'`;

const COLUMNS = `
  (
    select json_agg(json_build_object(
      'name', attname,
      'text', format('%I %s', attname, format_type(atttypid, atttypmod))
        || case when attnotnull then ' not null' else '' end
        || coalesce(' default ' || pg_get_expr(adbin, adrelid), ''),
      'comment', col_description(attrelid, attnum)
    ) order by attnum)
    from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = c.oid and attnum > 0 and not attisdropped
  ) as columns`;

/** "not null" is printed with its column. */
const TABLES = `
  select relname as name, obj_description(c.oid, 'pg_class') as comment, ${COLUMNS},
    array(
      select format('constraint %I %s', conname, pg_get_constraintdef(oid))
      from pg_constraint
      where conrelid = c.oid and contype <> 'n'
      order by conname collate "C"
    ) as constraints,
    pg_get_partkeydef(c.oid) as partitions,
    array(
      select pg_get_indexdef(indexrelid)
      from pg_index
      where indrelid = c.oid and not exists (select from pg_constraint where conindid = indexrelid)
      order by indexrelid::regclass::text collate "C"
    ) as indexes,
    array(
      select pg_get_triggerdef(oid) from pg_trigger where tgrelid = c.oid and not tgisinternal order by tgname collate "C"
    ) as triggers, ${grantsOn('relname', 'relacl', 'relowner')}
  from pg_class c
  where relnamespace = 'jobledger'::regnamespace and relkind in ('r', 'p') and not relispartition
  order by relname collate "C"`;

const VIEWS = `
  select relname as name, obj_description(c.oid, 'pg_class') as comment, ${COLUMNS},
    pg_get_viewdef(c.oid, true) as definition, ${grantsOn('relname', 'relacl', 'relowner')}
  from pg_class c
  where relnamespace = 'jobledger'::regnamespace and relkind in ('v', 'm')
  order by relname collate "C"`;

const FUNCTIONS = `
  select obj_description(oid, 'pg_proc') as comment, pg_get_functiondef(oid) as definition,
    ${grantsOn("'function ' || oid::regprocedure", "coalesce(proacl, acldefault('f', proowner))", 'proowner')}
  from pg_proc
  where pronamespace = 'jobledger'::regnamespace
  order by oid::regprocedure::text collate "C"`;

const DEFAULT_GRANTS = `
  select format('alter default privileges in schema jobledger grant %s on %s to %s',
    lower(string_agg(privilege_type, ', ' order by privilege_type)),
    case defaclobjtype when 'r' then 'tables' when 'f' then 'functions' else defaclobjtype::text end,
    case grantee when 0 then 'public' else grantee::regrole::text end) as text
  from pg_default_acl, aclexplode(defaclacl)
  where defaclnamespace = 'jobledger'::regnamespace and grantee <> defaclrole
  group by defaclobjtype, grantee
  order by text`;
