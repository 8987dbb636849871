import type { Tone } from './tone.ts';

/** A box of the picture, with its column and row, counted from 0. */
export interface LayeredNode {
  id: string;
  title: string;
  more: string;
  /** The text above the box, such as a time. */
  when: string;
  tone: Tone;
  isMain: boolean;
  column: number;
  row: number;
}

/** The column of each node, which is to the right of all its predecessors. A cycle is cut at one of its edges. */
export function assignColumns(
  ids: readonly string[],
  edges: readonly (readonly [from: string, to: string])[],
): Map<string, number> {
  const causes = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const [from, to] of edges) causes.get(to)?.push(from);
  const columns = new Map<string, number>();
  // The column of a node, from the columns of its predecessors; `path` has the nodes on the way, so that a cycle ends.
  const findColumn = (id: string, path: ReadonlySet<string>): number => {
    const known = columns.get(id);
    if (known !== undefined) return known;
    const inner = (causes.get(id) ?? []).filter((cause) => !path.has(cause));
    const column = Math.max(-1, ...inner.map((cause) => findColumn(cause, new Set(path).add(id)))) + 1;
    columns.set(id, column);
    return column;
  };
  for (const id of ids) findColumn(id, new Set());
  return columns;
}

/** Gives each node a column and a row: main nodes are in the middle row, other nodes alternately above and below. */
export function placeNodes<T extends { id: string; isMain: boolean }>(
  nodes: readonly T[],
  columns: ReadonlyMap<string, number>,
): (T & { column: number; row: number })[] {
  const byColumn = new Map<number, T[]>();
  for (const node of nodes) {
    const column = columns.get(node.id) ?? 0;
    byColumn.set(column, [...(byColumn.get(column) ?? []), node]);
  }
  const tallest = Math.max(0, ...[...byColumn.values()].map(({ length }) => length));
  const middle = Math.floor((tallest - 1) / 2);
  return [...byColumn].flatMap(([column, members]) =>
    aroundMiddle(members, middle).map(([node, row]) => ({ ...node, column, row })),
  );
}

/** Gives the nodes of a column their rows: the main node in the middle, the others in turn above and below. */
function aroundMiddle<T extends { isMain: boolean }>(nodes: readonly T[], middle: number): [T, number][] {
  const ordered = nodes.toSorted((a, b) => Number(b.isMain) - Number(a.isMain));
  const rows = ordered.map((_, at) => middle + (at % 2 === 1 ? -1 : 1) * Math.ceil(at / 2));
  const lowest = Math.min(0, ...rows);
  return ordered.map((node, at) => [node, (rows[at] ?? 0) - lowest]);
}
