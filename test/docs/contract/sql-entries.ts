import type { Relation, SqlFunction } from '../columns.ts';
import type { Entry } from './entry.ts';

/** The tables, views and functions of the schema, each with its columns. */
export function sqlEntries(relations: readonly Relation[], functions: readonly SqlFunction[]): Entry[] {
  return [...relations.flatMap(relationEntries), ...functions.map(functionEntry)];
}

function relationEntries({ name, kind, columns }: Relation): Entry[] {
  const entry = (line: string, ...names: string[]): Entry => ({ place: 'SQL', line, names });
  return [
    entry(`${kind} ${name}`, name),
    ...columns.map((column) => {
      const type = `${column.type}${column.isNotNull === true ? ' not null' : ''}`;
      return entry(`${name}.${column.name}: ${type}`, column.name);
    }),
  ];
}

function functionEntry({ signature, returns }: SqlFunction): Entry {
  const [, name = '', parameters = ''] = /^(\w+)\((.*)\)$/.exec(signature) ?? [];
  const [, columns = ''] = /^TABLE\((.*)\)$/.exec(returns) ?? [];
  const names = [name, ...firstWords(parameters), ...firstWords(columns)];
  return { place: 'SQL', line: `function ${signature}: ${returns}`, names };
}

/** The names in a list such as `at timestamptz, cluster text`. */
function firstWords(list: string): string[] {
  return list.split(', ').flatMap((part) => /^\w+/.exec(part) ?? []);
}
