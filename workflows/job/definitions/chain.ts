import type { AfterCondition } from '../../batch/facts.ts';
import type { AwaitedFacts } from '../facts.ts';

/** The highest number of Jobs that are recorded for a waiting Job: its predecessors, and their predecessors. */
export const MAX_AWAITED = 100;

/** The names of the Jobs for which a Job waits; undefined when the Job is not known or does not wait. */
export type WaitsFor = (name: string) => readonly string[] | undefined;

/**
 * The Jobs for which a Job waits, directly or through others: nearer Jobs first, at most 100 and not the Job itself.
 * `isCut` is true when the list leaves out Jobs.
 */
export function awaitedFrom(
  name: string,
  named: readonly string[],
  waitsFor: WaitsFor,
): { names: string[]; isCut: boolean } {
  const found = new Set<string>();
  let next: readonly string[] = named;
  while (next.length > 0) {
    const further: string[] = [];
    for (const each of next) {
      if (each === name || found.has(each)) continue;
      if (found.size === MAX_AWAITED) return { names: [...found], isCut: true };
      found.add(each);
      further.push(...(waitsFor(each) ?? []));
    }
    next = further;
  }
  return { names: [...found], isCut: false };
}

/**
 * The shortest path from a Job through its predecessors back to itself, both ends included; null without such a path.
 */
export function cycleThrough(name: string, named: readonly string[], waitsFor: WaitsFor): string[] | null {
  const before = new Map<string, string>();
  const queue: [string, readonly string[]][] = [[name, named]];
  for (const [at, nexts] of queue)
    for (const next of nexts) {
      if (next === name) return wayTo(at, name, before);
      if (before.has(next)) continue;
      before.set(next, at);
      queue.push([next, waitsFor(next) ?? []]);
    }
  return null;
}

/** The way from a Job back to itself through the predecessors in `before`. */
function wayTo(last: string, name: string, before: ReadonlyMap<string, string>): string[] {
  const way = [name];
  for (let at: string | undefined = last; at !== undefined; at = before.get(at)) way.unshift(at);
  return way;
}

/**
 * The state of a condition: `unmeetable` means that the Job ended in another way, `unknown` that the Job was not
 * recorded yet.
 */
export type ConditionStatus = 'met' | 'unmeetable' | 'missing' | 'deleted' | 'waiting' | 'unknown';

/** The state of a condition; a deleted Job that had ended keeps its end until another Job of the same name exists. */
export function conditionStatus(
  { end }: AfterCondition,
  awaited: Omit<AwaitedFacts, 'name'> | undefined,
): ConditionStatus {
  if (awaited === undefined) return 'unknown';
  if (awaited.end !== undefined) return isMet(end, awaited.end.type) ? 'met' : 'unmeetable';
  if (awaited.uid === undefined) return 'missing';
  return awaited.gone === true ? 'deleted' : 'waiting';
}

/** True when an end of this type is the wanted end. */
function isMet(wanted: AfterCondition['end'], type: 'Complete' | 'Failed'): boolean {
  return wanted === 'Finished' || (wanted === 'Failed') === (type === 'Failed');
}
