import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { TimerFigures } from './check-timers.ts';
import type { VersionFigures } from './check-versions.ts';
import { PARTS, type Part } from './rounds.ts';

/** The figures that are counted in the run of any suite. */
export interface Counts extends VersionFigures, TimerFigures {
  rounds: number;
  /** The time from the first Job to the end of the last Job, without starting and checking. */
  seconds: number;
  jobs: number;
  /** Jobs that did not end as their stories say. */
  jobsWrong: number;
  pods: number;
  podsTwice: number;
  /** Made again by `admin verify --all` with the same result. */
  decisions: number;
  /** The number of records of the ledger, folded again by `admin rebuild --check`. */
  records: number;
  eventsLost: number;
  eventsRepeated: number;
  eventsDelayed: number;
  streamsCut: number;
  /** Requests that a proxy or policy answered, and changes whose answer was lost. */
  requestsRefused: number;
  requestsUnanswered: number;
  /** Checks of a collection's version that were answered with an older one. */
  versionsGoneBack: number;
  findings: number;
}

/** The figures that are counted in a run of the kill suite. */
export interface Figures extends Counts {
  kills: Record<Part, number>;
  /** How often a part was stopped for a while. */
  stops: number;
}

/** One run, as it is kept in a file of docs/benchmarks. */
export interface RecordedRun<F> {
  at: string;
  commit: string;
  seed: number;
  /** The first round. */
  from: number;
  figures: F;
}

/** The runs of a file, in order. */
export function recordedRuns<F>(file: string): RecordedRun<F>[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedRun<F>[]) : [];
}

export function record<F>(file: string, run: RecordedRun<F>): void {
  writeFileSync(file, `${JSON.stringify([...recordedRuns<F>(file), run], undefined, 2)}\n`);
}

/** The figures of several runs together. */
export function sumFigures<F extends Counts>(runs: readonly [F, ...F[]]): F {
  return runs.reduce((one, other) => ({
    ...added(one, other),
    worstLateness: Math.max(one.worstLateness, other.worstLateness),
  }));
}

/** Adds each number of two objects of one type, and of the objects in them. */
function added<T extends object>(one: T, other: T): T {
  const second = new Map<string, unknown>(Object.entries(other));
  const sum = (value: unknown, more: unknown): unknown =>
    typeof value === 'number' ? value + Number(more ?? 0) : added(value as object, more ?? {});
  return Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name, sum(value, second.get(name))]),
  ) as T;
}

/** A few lines for a person. */
export function linesOfFigures(figures: Figures): string[] {
  const { kills, stops } = figures;
  const killed = PARTS.map((part) => `${part} ${kills[part]}`).join(', ');
  return linesOfCounts(figures, `kills: ${killed}; stopped for a while: ${stops}`);
}

/** `struck`: the parts that were struck, and how often. */
export function linesOfCounts(counts: Counts, struck: string): string[] {
  const { versionsOffered, versionsInGaps, versionsUnnoticed, versionsLost } = counts;
  const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
  return [
    `${counts.rounds} rounds in ${counts.seconds.toFixed(0)} s, ${(counts.seconds / counts.rounds).toFixed(1)} s a round`,
    struck,
    `${counts.jobs} Jobs, ${counts.jobsWrong} not as their stories; ${counts.pods} pods, ${counts.podsTwice} created twice`,
    `watch events: ${counts.eventsLost} lost, ${counts.eventsRepeated} repeated, ${counts.eventsDelayed} delayed; ${counts.streamsCut} streams cut`,
    `requests: ${counts.requestsRefused} answered by the proxy, ${counts.requestsUnanswered} carried out and not answered; ${counts.versionsGoneBack} answers with an older version`,
    `versions: ${versionsOffered} offered, ${versionsInGaps} inside one of ${counts.gaps} gaps, ${versionsUnnoticed} lost by the proxy and superseded before a list, ${versionsLost} lost; ${counts.versionsListedAgain} recorded again from a later list`,
    `timers: ${counts.instants} instants in decisions, ${counts.timersMoved} moved; ${counts.timersDue} due, ${counts.timersEarly} early, ${counts.timersLate} later than the outages explain, the latest by ${seconds(counts.worstLateness)}`,
    `${counts.decisions} decisions verified, ${counts.records} records folded again; ${counts.findings} findings`,
  ];
}
