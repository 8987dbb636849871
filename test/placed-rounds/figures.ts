import type { RunFigures } from './check-runs.ts';
import { FAULTS, type Fault } from './rounds.ts';

/** The figures that are counted in a run. */
export interface Figures extends RunFigures {
  rounds: number;
  /** The time from the first Job to the end of the last Job, without starting and checking. */
  seconds: number;
  jobs: number;
  faults: Record<Fault, number>;
  /** Services killed with SIGKILL. */
  kills: number;
  /** Creations of Jobs that were carried out without an answer, and those that were refused in the same rounds. */
  answersLost: number;
  refusedAfterwards: number;
  /** How grants ended: their number by reason. */
  grants: Record<string, number>;
  decisions: number;
  records: number;
  findings: number;
}

/** A few lines for a person. */
export function linesOfFigures(figures: Figures): string[] {
  const { faults, grants } = figures;
  const counts = (of: Record<string, number>): string =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    `${figures.rounds} rounds in ${figures.seconds.toFixed(0)} s, ${figures.kills} services killed, ${figures.answersLost} creations without an answer, ${figures.refusedAfterwards} refused; ${counts(faults)}`,
    `${figures.jobs} Jobs; grants: ${counts(grants)}`,
    `${figures.runs} containers: ${figures.overlaps} overlaps, ${figures.indexesLost} indexes lost, ${figures.repeats} repeated, ${figures.repeatsUnderWay} more by a member whose creation was decided before; accepted by MoveAfter: ${figures.overlapsAccepted} overlaps, ${figures.repeatsAccepted} repeated`,
    `${figures.decisions} decisions verified, ${figures.records} records folded again; ${figures.findings} findings`,
  ];
}

/** The figures of several runs together. */
export function sumFigures(runs: readonly [Figures, ...Figures[]]): Figures {
  return runs.reduce((one, other) => ({
    ...(Object.fromEntries(
      Object.entries(one).map(([name, value]) => [
        name,
        typeof value === 'number' ? value + Number(other[name as keyof Figures]) : value,
      ]),
    ) as unknown as Figures),
    faults: addedCounts(one.faults, other.faults),
    grants: addedCounts(one.grants, other.grants),
  }));
}

function addedCounts<K extends string>(one: Record<K, number>, other: Record<K, number>): Record<K, number> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])] as K[];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)])) as Record<
    K,
    number
  >;
}

export function countFaults(faults: readonly Fault[]): Record<Fault, number> {
  return Object.fromEntries(
    FAULTS.map((fault) => [fault, faults.filter((each) => each === fault).length]),
  ) as Record<Fault, number>;
}
