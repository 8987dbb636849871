/** One `NAME=value` per line, quoted for a POSIX shell; variables without a value are left out. */
export function shellAssignments(variables: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(variables)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('');
}

function quoted(value: string): string {
  return /^[\w@%+:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
