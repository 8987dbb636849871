import { SERVICES } from '../../cli/verbs/up/service-children.ts';
import type { AdministratorFigures } from './administrator.ts';
import type { ReaderFigures } from './reader.ts';
import type { TenantFigures } from './tenant.ts';
import type { Watched } from './watched-services.ts';

/** What must hold under attack. */
export type Guarantee =
  | 'late'
  | 'restarts'
  | 'health'
  | 'memory'
  | 'answers'
  | 'refusals'
  | 'set aside'
  | 'sinks'
  | 'administrator'
  | 'verify'
  | 'rebuild'
  | 'goes on';

/** Something that is not as it must be. */
export interface Finding {
  guarantee: Guarantee;
  text: string;
}

/** What is counted in a run. */
export interface Figures {
  seconds: number;
  tenant: TenantFigures;
  reader: Omit<ReaderFigures, 'failures'>;
  administrator: Omit<AdministratorFigures, 'failures'>;
  /** Requests to the receiver of a sink. */
  deliveries: number;
  /** Pairs of Jobs of the other namespace. */
  pairs: number;
  /** How long the Jobs of each controller took, in milliseconds, and by how much ours were later than the others. */
  ours: Spread;
  builtIn: Spread;
  later: Spread;
  services: Watched;
  decisions: number;
  records: number;
  deadLetters: number;
  findings: number;
}

export interface Spread {
  median: number;
  /** Nineteen of twenty are at most this. */
  p95: number;
  most: number;
}

export function summarize(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { median: at(0.5), p95: at(0.95), most: sorted.at(-1) ?? 0 };
}

/** A few lines for a person. */
export function linesOfFigures(figures: Figures): string[] {
  const { tenant, reader, administrator, ours, builtIn, later, services } = figures;
  const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  const seconds = ({ median, p95, most }: Spread): string =>
    `${inSeconds(median)}, 95 % ${inSeconds(p95)}, at most ${inSeconds(most)}`;
  const answers = Object.entries(reader.answers).map(([kind, count]) => `${count} ${kind}`);
  return [
    `${figures.seconds.toFixed(0)} s of attacks`,
    `a tenant: ${tenant.attacks} attacks with ${tenant.accepted} requests accepted, ${tenant.refused} refused by the API server`,
    `a reader: ${reader.requests} requests, answers: ${answers.join(', ')}; ${reader.streams} connections left open, slowest answer ${reader.slowestMs} ms`,
    `an administrator: ${administrator.rounds} rounds, ${administrator.appendedAgain} dead letters appended again, ${administrator.unusable} unusable records, ${administrator.removed} old Jobs removed; ${figures.deliveries} requests to a sink`,
    `${figures.pairs} pairs of Jobs of another namespace: Jobledger ${seconds(ours)}; built-in controller ${seconds(builtIn)}; later by ${seconds(later)}`,
    ...SERVICES.map((name) => {
      const { restarts, slowestHealthMs, slowestIdleMs, slowestLaterMs, mostMiB, limitMiB } = services[name];
      return `${name}: ${restarts} restarts, /healthz within ${slowestHealthMs} ms (an idle process within ${slowestIdleMs} ms, at most ${slowestLaterMs} ms before it), at most ${mostMiB} of ${limitMiB} MiB`;
    }),
    `${figures.decisions} decisions verified, ${figures.records} records folded again, ${figures.deadLetters} dead letters; ${figures.findings} findings`,
  ];
}
