/**
 * The facts that a result needs: looks for the shortest beginning of the list with which the result holds, and keeps
 * each fact of it without which the result does not hold. Returns `always` when the result holds without any fact,
 * and null when the result does not hold with all facts.
 */
export function necessaryFacts<F>(
  facts: readonly F[],
  holds: (facts: readonly F[]) => boolean,
): readonly F[] | 'always' | null {
  if (!holds(facts)) return null;
  if (holds([])) return 'always';
  const enough = facts.slice(0, countFirstNeeded(facts, holds));
  return narrowFacts(enough, 0, enough.length, holds);
}

/** The smallest number of first facts with which the condition holds, by binary search. */
function countFirstNeeded<F>(facts: readonly F[], holds: (facts: readonly F[]) => boolean): number {
  let [few, enough] = [0, facts.length];
  while (enough - few > 1) {
    const half = Math.floor((few + enough) / 2);
    if (holds(facts.slice(0, half))) enough = half;
    else few = half;
  }
  return enough;
}

/**
 * Splits a list that cannot be left out as a whole, and keeps the necessary facts of each half. If either half can be
 * left out, but not both, returns both halves.
 */
function narrowFacts<F>(
  facts: readonly F[],
  from: number,
  to: number,
  holds: (facts: readonly F[]) => boolean,
): readonly F[] {
  if (holds([...facts.slice(0, from), ...facts.slice(to)])) return [];
  if (to - from <= 1) return facts.slice(from, to);
  const half = Math.floor((from + to) / 2);
  const found = [...narrowFacts(facts, from, half, holds), ...narrowFacts(facts, half, to, holds)];
  return found.length === 0 ? facts.slice(from, to) : found;
}
