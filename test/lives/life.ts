import type { Job } from '../../workflows/kubernetes/objects.ts';
import { seededRandom } from '../support/random.ts';

/** One random life. */
export interface Life {
  /** The states that must never occur. */
  problems: string[];
  /** The events of the life, for the reader of a problem. */
  log: string[];
  decisions: number;
}

/** The drawing of one life. */
export interface Draw {
  next(): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
}

export function aDraw(seed: number): Draw {
  const next = seededRandom(Math.imul(seed + 1, 2_654_435_761));
  return {
    next,
    chance: (probability) => next() < probability,
    pick: <T>(from: readonly [T, ...T[]]): T => from[Math.floor(next() * from.length)] ?? from[0],
    below: (end) => Math.floor(next() * end),
  };
}

/** A planted fault: it changes the outcome of a command on its way from the worker to the workflow. */
export type Plant<Outcome> = (outcome: Outcome) => Outcome;

export function planted<Outcome, Answered extends { data: { outcome: Outcome } }>(
  plant: Plant<Outcome> | undefined,
  answered: Answered[],
): Answered[] {
  if (plant === undefined) return answered;
  return answered.map((each) => ({ ...each, data: { ...each.data, outcome: plant(each.data.outcome) } }));
}

/** The status says that the Job has succeeded, and will be complete. */
export function isMet({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is }) => is === 'True' && ['SuccessCriteriaMet', 'Complete'].includes(type),
  );
}
