/** A set of ids. */
export interface SeenIds {
  /** Returns true when the id is new. */
  add(id: string): boolean;
}

/**
 * Creates a set of ids. A JavaScript Set holds at most 2^24 values, so the ids are spread over several Sets by their
 * last character.
 */
export function createSeenIds(): SeenIds {
  const sets = new Map<string, Set<string>>();
  return {
    add(id) {
      const last = id.slice(-1);
      const set = sets.get(last) ?? new Set();
      sets.set(last, set);
      return set.size !== set.add(id).size;
    },
  };
}
