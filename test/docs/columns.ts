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
  const found = block.matchAll(/^ {2}-- (.*)\n {2}(\w+|"\w+") (.*?)(?: not null| default .*)*,?$/gm);
  return Array.from(found, ([, about = '', name = '', type = '']) => columnOf(name, type, about));
}

function columnsOfView(block: string): Column[] {
  const found = block.matchAll(/^-- {3}(\w+|"\w+") (.*?): (.*)$/gm);
  return Array.from(found, ([, name = '', type = '', about = '']) => columnOf(name, type, about));
}

function columnOf(name: string, type: string, about: string): Column {
  return {
    name: name.replaceAll('"', ''),
    type: type.replace('timestamp with time zone', 'timestamptz'),
    about,
  };
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
  return text.replaceAll(/[|<>]/g, (sign) => `\\${sign}`);
}
