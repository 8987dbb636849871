/** What was measured in one round, by name. A name ends with its unit. */
export type Figures = Readonly<Record<string, number>>;

/** One side in one round, on one load. */
export interface Round {
  readonly side: string;
  readonly round: number;
  readonly figures: Figures;
}

export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Each figure of one side over its rounds; a round that lacks a figure counts as 0, because nothing of it happened. */
export function spreads(rounds: readonly Round[], side: string): Record<string, Spread> {
  const own = rounds.filter((round) => round.side === side);
  const names = new Set(own.flatMap(({ figures }) => Object.keys(figures)));
  return Object.fromEntries(
    [...names].map((name) => [name, summarize(own.map(({ figures }) => figures[name] ?? 0))]),
  );
}

export function summarize(values: readonly number[]): Spread {
  return {
    median: percentile(values, 0.5),
    lowest: Math.min(...values),
    highest: Math.max(...values),
  };
}

/** The value at this fraction of the sorted values, interpolated between neighbours. NaN without values. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = fraction * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return below + (above - below) * (at - Math.floor(at));
}

/** What was added between two readings of the same counters. */
export function differences(before: Figures, after: Figures): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]),
  );
}

/** Each count divided by the Jobs, under a name that says so. */
export function perJob(counts: Figures, jobs: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${name} a Job`, count / jobs]));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
