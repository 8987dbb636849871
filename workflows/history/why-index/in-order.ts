import type { Cause } from '../why/types.ts';

/**
 * Orders the causes of several streams from effect to cause: each cause precedes its own causes, and otherwise the
 * latest cause is first.
 */
export function orderCauses(causes: readonly Cause[]): Cause[] {
  const effects = new Map(causes.map(({ id }) => [id, 0]));
  for (const { because } of causes) for (const id of because) effects.set(id, (effects.get(id) ?? 0) + 1);
  const byTime = causes.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const byId = new Map(causes.map((cause) => [cause.id, cause]));
  const ready = byTime.filter(({ id }) => effects.get(id) === 0);
  const ordered: Cause[] = [];
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    ordered.push(next);
    for (const id of next.because) {
      const left = (effects.get(id) ?? 0) - 1;
      effects.set(id, left);
      const cause = byId.get(id);
      if (left === 0 && cause !== undefined) insertByTime(ready, cause);
    }
  }
  return ordered;
}

/** Keeps the candidates sorted so that the latest is the last. */
function insertByTime(ready: Cause[], cause: Cause): void {
  const after = ready.findLastIndex(({ at }) => Date.parse(at) <= Date.parse(cause.at));
  ready.splice(after + 1, 0, cause);
}
