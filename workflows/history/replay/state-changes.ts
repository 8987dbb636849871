import type { JobState } from '../../job/state.ts';

/** A changed value in the state; `from` or `to` is absent when it was added or removed. */
export interface Change {
  /** Keys from the outside in. */
  path: readonly string[];
  from?: unknown;
  to?: unknown;
}

/** Fields that only prepare the next decision; a step shows them in another way. */
const BOOKKEEPING = new Set(['folded', 'last', 'pending', 'waiting']);

/** The differences between two states. A list counts as one value. */
export function stateChanges(before: JobState, after: JobState): Change[] {
  return changesIn(before, after, []).filter(({ path }) => !BOOKKEEPING.has(path[0] ?? ''));
}

function changesIn(from: unknown, to: unknown, path: readonly string[]): Change[] {
  if (from === to) return [];
  if (isTree(from) && isTree(to))
    return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) =>
      changesIn(from[key], to[key], [...path, key]),
    );
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  return [{ path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
