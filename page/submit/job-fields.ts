import fields from './job-fields.json' with { type: 'json' };

/** The fields of each type in a Job: names with their types, such as `V1JobSpec` or `Array<V1Container>`. */
const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = fields;

export interface Field {
  name: string;
  /** The name of the type in Kubernetes' client library. */
  type: string;
  /** True when the value of the field has fields or items. */
  isNested: boolean;
}

/** The fields below a path of a Job's manifest, such as `spec`, `template`; empty if they are unknown. */
export function fieldsAt(path: readonly string[]): Field[] {
  let type = 'V1Job';
  for (const name of path) type = itemType(TYPES[type]?.[name] ?? '');
  return Object.entries(TYPES[type] ?? {}).map(([name, each]) => ({
    name,
    type: each,
    isNested: each.startsWith('Array<') || each.startsWith('{') || itemType(each) in TYPES,
  }));
}

/** The type of the items of an array type; any other type stays as it is. */
function itemType(type: string): string {
  return /^Array<(.*)>$/.exec(type)?.[1] ?? type;
}

/**
 * The path of the fields that contain the field at `offset` of a YAML text, by indentation; list items have no part in the path.
 */
export function pathAt(text: string, offset: number): string[] {
  const lines = text.slice(0, offset).split('\n');
  const path: string[] = [];
  // The parent is the nearest line above with a smaller indentation.
  let limit = Number.POSITIVE_INFINITY;
  for (const line of lines.toReversed()) {
    const [, before = '', name, value] = /^([ -]*)([\w./-]+)?(:)?/.exec(line) ?? [];
    const isCurrent = limit === Number.POSITIVE_INFINITY;
    if (!isCurrent && (name === undefined || line.trimStart().startsWith('#'))) continue;
    const column = before.length;
    if (!isCurrent && column < limit && value !== undefined && name !== undefined) path.unshift(name);
    if (isCurrent || column <= limit) limit = beginColumn(before, Math.min(column, limit));
  }
  return path;
}

/** The column from which a parent is searched: the parent of a list item may be in the column of its dash. */
function beginColumn(before: string, column: number): number {
  const dash = before.lastIndexOf('-');
  return dash === -1 ? column : dash + 0.5;
}
