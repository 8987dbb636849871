/** A table or view of the schema, with its columns in order. */
export interface Relation {
  name: string;
  kind: 'table' | 'view';
  about: string;
  columns: readonly Column[];
}

interface Column {
  name: string;
  type: string;
  about: string;
  /** Of a table, where the schema says it. */
  isNotNull?: true;
}

/** A function of the schema. */
export interface SqlFunction {
  /** With its arguments. */
  signature: string;
  returns: string;
  about: string;
}

/** The page that `npm run columns` writes. */
export const COLUMNS_PAGE = 'docs/sql-columns.md';

/** The tables and views of the schema's dump, in the order of the dump. @throws for a column without a comment. */
export function relationsIn(schema: string): Relation[] {
  return schema.split('\n\n').flatMap((block) => {
    const [, kind, name = ''] = /^create (table|view) (\w+)/m.exec(block) ?? [];
    if (kind !== 'table' && kind !== 'view') return [];
    const columns = kind === 'table' ? columnsOfTable(block) : columnsOfView(block);
    if (columns.length === 0 || columns.some(({ about }) => about === ''))
      throw new Error(`${name} has a column without a comment`);
    return [{ name, kind, about: /^-- (.*)$/m.exec(block)?.[1] ?? '', columns }];
  });
}

function columnsOfTable(block: string): Column[] {
  const found = block.matchAll(/^ {2}-- (.*)\n {2}(\w+|"\w+") (.*?)((?: not null| default .*)*),?$/gm);
  return Array.from(found, ([, about = '', name = '', type = '', further = '']) => ({
    ...toColumn(name, type, about),
    ...(further.includes(' not null') && { isNotNull: true as const }),
  }));
}

function columnsOfView(block: string): Column[] {
  const found = block.matchAll(/^-- {3}(\w+|"\w+") (.*?): (.*)$/gm);
  return Array.from(found, ([, name = '', type = '', about = '']) => toColumn(name, type, about));
}

function toColumn(name: string, type: string, about: string): Column {
  return { name: name.replaceAll('"', ''), type: shortTypes(type), about };
}

function shortTypes(text: string): string {
  return text.replaceAll('timestamp with time zone', 'timestamptz');
}

/** The functions of the schema's dump, in the order of the dump. @throws for a function without a comment. */
export function functionsIn(schema: string): SqlFunction[] {
  const found = schema.matchAll(
    /^(?:-- (.*)\n)?CREATE OR REPLACE FUNCTION jobledger\.(\w+\(.*\))\n RETURNS (.*)$/gm,
  );
  return Array.from(found, ([, about, signature = '', returns = '']) => {
    if (about === undefined) throw new Error(`${signature} has no comment`);
    return { signature: shortTypes(signature), returns: shortTypes(returns), about };
  });
}

/** docs/sql-columns.md. Its tables are not aligned: spaces would be two thirds of the file. */
export function columnsPage(relations: readonly Relation[], functions: readonly SqlFunction[]): string {
  const sections = [...relations.map(section), functionsSection(functions)];
  return `# Columns of the tables\n\n${INTRODUCTION}\n\n${sections.join('\n\n')}\n`;
}

const INTRODUCTION = `This page has the meaning of each column of [the tables](sql.md) and the results of the [functions](#functions), from the comments in the database. \`npm run columns\` writes this page.`;

function section({ name, kind, about, columns }: Relation): string {
  const rows = columns.map((column) => `| \`${column.name}\` | ${column.type} | ${cell(column.about)} |`);
  return [
    `## \`${name}\``,
    '',
    kind === 'view' ? `A view. ${about}` : about,
    '',
    '| column | type | meaning |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function functionsSection(functions: readonly SqlFunction[]): string {
  const rows = functions.map(
    ({ signature, returns, about }) => `| \`${signature}\` | ${resultText(returns)} | ${cell(about)} |`,
  );
  return [
    '## Functions',
    '',
    "Call them like tables: `select * from jobledger.jobs_as_of('2026-11-03 09:00Z')`.",
    '',
    '| function | returns | meaning |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** What a function returns: rows of a relation of this page, rows with these columns, or one value. */
function resultText(returns: string): string {
  const [, relation] = /^SETOF (\w+)$/.exec(returns) ?? [];
  if (relation !== undefined) return `rows of [\`${relation}\`](#${relation})`;
  const [, columns] = /^TABLE\((.*)\)$/.exec(returns) ?? [];
  return columns === undefined ? returns : `rows with ${columns}`;
}

/** Text that Markdown shows as it is. */
function cell(text: string): string {
  return text.replaceAll(/[|<>]/g, (sign) => `\\${sign}`);
}
