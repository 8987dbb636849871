import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { TimerFigures } from './check-timers.ts';
import type { VersionFigures } from './check-versions.ts';
import { PARTS, type Part } from './rounds.ts';

/** What was counted in a run. */
export interface Figures extends VersionFigures, TimerFigures {
  rounds: number;
  /** From the first Job to the end of the last, without starting and checking. */
  seconds: number;
  kills: Record<Part, number>;
  /** How often a part was stopped for a while; absent in runs before that. */
  stops?: number;
  jobs: number;
  /** Jobs that did not end as their stories say. */
  jobsWrong: number;
  pods: number;
  podsTwice: number;
  /** Made again by `verify --all` with the same result. */
  decisions: number;
  /** Of the ledger, folded again by `rebuild --check`. */
  records: number;
  eventsLost: number;
  eventsRepeated: number;
  eventsDelayed: number;
  streamsCut: number;
  /** Requests that a proxy or policy answered, and changes whose answer was lost; absent in runs before that. */
  requestsRefused?: number;
  requestsUnanswered?: number;
  /** Checks of a collection's version that were answered with an older one; absent in runs before that. */
  versionsGoneBack?: number;
  findings: number;
}

/** One run, as it is kept in docs/benchmarks/kills.json. */
export interface RecordedRun {
  at: string;
  commit: string;
  seed: number;
  /** The first round. */
  from: number;
  figures: Figures;
}

/** The runs of a file, in order. */
export function recordedRuns(file: string): RecordedRun[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedRun[]) : [];
}

export function record(file: string, run: RecordedRun): void {
  writeFileSync(file, `${JSON.stringify([...recordedRuns(file), run], undefined, 2)}\n`);
}

/** The figures of several runs together. */
export function sumOf(runs: readonly [Figures, ...Figures[]]): Figures {
  return runs.reduce((one, other) => ({
    ...added({ ...NONE_BEFORE, ...one }, other),
    kills: added(one.kills, other.kills),
    worstLateness: Math.max(one.worstLateness, other.worstLateness),
  }));
}

/** What runs of earlier versions did not count. */
const NONE_BEFORE = { stops: 0, requestsRefused: 0, requestsUnanswered: 0, versionsGoneBack: 0 };

/** Adds each number of two objects of one type. */
function added<T extends object>(one: T, other: T): T {
  const second = new Map<string, unknown>(Object.entries(other));
  return Object.fromEntries(
    Object.entries(one).map(([name, value]) =>
      typeof value === 'number' ? [name, value + Number(second.get(name) ?? 0)] : [name, value],
    ),
  ) as T;
}

/** A few lines for a person. */
export function linesOfFigures(figures: Figures): string[] {
  const { kills, versionsOffered, versionsInGaps, versionsUnnoticed, versionsLost } = figures;
  const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
  return [
    `${figures.rounds} rounds in ${figures.seconds.toFixed(0)} s, ${(figures.seconds / figures.rounds).toFixed(1)} s a round`,
    `kills: ${PARTS.map((part) => `${part} ${kills[part]}`).join(', ')}; stopped for a while: ${figures.stops ?? 0}`,
    `${figures.jobs} Jobs, ${figures.jobsWrong} not as their stories; ${figures.pods} pods, ${figures.podsTwice} created twice`,
    `watch events: ${figures.eventsLost} lost, ${figures.eventsRepeated} repeated, ${figures.eventsDelayed} delayed; ${figures.streamsCut} streams cut`,
    `requests: ${figures.requestsRefused ?? 0} answered by somebody else, ${figures.requestsUnanswered ?? 0} carried out and not answered; ${figures.versionsGoneBack ?? 0} answers with an older version`,
    `versions: ${versionsOffered} offered, ${versionsInGaps} inside one of ${figures.gaps} gaps, ${versionsUnnoticed} lost by the proxy and superseded before a list, ${versionsLost} lost; ${figures.versionsListedAgain} recorded again from a later list`,
    `timers: ${figures.instants} instants in decisions, ${figures.timersMoved} moved; ${figures.timersDue} due, ${figures.timersEarly} early, ${figures.timersLate} later than the outages explain, the latest by ${seconds(figures.worstLateness)}`,
    `${figures.decisions} decisions verified, ${figures.records} records folded again; ${figures.findings} findings`,
  ];
}
