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
}

/** The heading of the section that this program writes; it is the last one of its page. */
export const HEADING = '## Columns';

/** The tables and views of the schema's dump, in the order of the dump. @throws for a column without a comment. */
export function relationsIn(schema: string): Relation[] {
  const found = schema.matchAll(/((?:^--.*\n)*)^create (table|view) (\w+)(.*?);\n/gms);
  return Array.from(found, ([, comment = '', kind, name = '', body = '']) => ({
    name,
    kind: kind as Relation['kind'],
    about: comment.replace(/^-- {3}.*\n/gm, '').replace(/^-- /gm, '').trim(),
    columns: kind === 'table' ? columnsOfTable(body) : columnsOfView(comment),
  })).map(checked);
}

function columnsOfTable(body: string): Column[] {
  const found = body.matchAll(/^ {2}-- (.*)\n {2}(\w+|"\w+") (.*?)(?: not null| default .*)*,?$/gm);
  return Array.from(found, ([, about = '', name = '', type = '']) => columnOf(name, type, about));
}

function columnsOfView(comment: string): Column[] {
  const found = comment.matchAll(/^-- {3}(\w+|"\w+") (.*?): (.*)$/gm);
  return Array.from(found, ([, name = '', type = '', about = '']) => columnOf(name, type, about));
}

function columnOf(name: string, type: string, about: string): Column {
  return {
    name: name.replaceAll('"', ''),
    type: type.replace('timestamp with time zone', 'timestamptz'),
    about,
  };
}

function checked(relation: Relation): Relation {
  const { name, columns } = relation;
  if (columns.length === 0 || columns.some(({ about }) => about === ''))
    throw new Error(`${name} has a column without a comment`);
  return relation;
}

/** The page with a list of the columns at its end, not formatted yet. */
export function withColumns(page: string, relations: readonly Relation[]): string {
  const [before = ''] = page.split(`\n${HEADING}\n`);
  return `${before.trimEnd()}\n\n${HEADING}\n\n${INTRODUCTION}\n\n${relations.map(section).join('\n\n')}\n`;
}

const INTRODUCTION = `The meaning of each column, from the comments in the database. \`npm run columns\` writes this list.`;

function section({ name, kind, about, columns }: Relation): string {
  const rows = columns.map((column) => `| \`${column.name}\` | ${column.type} | ${cell(column.about)} |`);
  return [
    `### \`${name}\``,
    '',
    kind === 'view' ? `A view. ${about}` : about,
    '',
    '| column | type | meaning |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** Text that Markdown shows as it is. */
function cell(text: string): string {
  return text.replaceAll(/[|<>*_]/g, (sign) => `\\${sign}`);
}
