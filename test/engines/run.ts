import { setTimeout as delay } from 'node:timers/promises';
import type { Finding } from '../kills/checks.ts';
import { linesOfCounts, type Counts } from '../kills/figures.ts';
import type { Outage } from '../kills/outages.ts';
import { playRounds, type RunOptions, type Suite } from '../kills/play-rounds.ts';
import { install } from '../support/installation.ts';
import { replacedRuns, withoutCause } from './check-runs.ts';
import { startEngines, type Engines } from './engines.ts';
import { lastingStory } from './lasting-story.ts';
import { FAULTS, createRound, type EngineRound, type Fault } from './rounds.ts';
import { LAG_MS, strike } from './strike.ts';

/** What is counted in a run on real engines. */
export interface EngineFigures extends Counts {
  faults: Partial<Record<Fault, number>>;
  /** Runs in Temporal that another run continued from the ledger. */
  runsReplaced: number;
  /** Of these: although Temporal had lost nothing. */
  runsReplacedWithoutCause: number;
}

export interface EngineRunOptions extends RunOptions {
  /** Default: the fault that the seed chooses. */
  createRound?: (seed: number, number: number) => EngineRound;
}

/** One fault in each round, on two of each service and three brokers, two Temporal servers and two Postgres. */
export async function runOnEngines(
  options: EngineRunOptions,
): Promise<{ figures: EngineFigures; findings: Finding[] }> {
  let engines: Engines | undefined;
  const started = (): Engines => {
    if (engines === undefined) throw new Error('the engines have not started');
    return engines;
  };
  const losses: Outage[] = [];
  let runsReplaced = 0;
  const suite: Suite<EngineRound> = {
    install: (others) =>
      install({
        separate: true,
        ...others,
        api: true,
        doubled: true,
        async start(wanted) {
          const all = await startEngines(wanted, options.report);
          engines = all.engines;
          return all.servers;
        },
      }),
    createRound: options.createRound ?? createRound,
    async prepare({ cluster }, round, jobs) {
      if (round.fault !== 'lagging standby promoted') return;
      await jobs.begin({ ...round, stories: [lastingStory] });
      await cluster.jobWhere(
        `${lastingStory.kind}-${round.number}`,
        'runs',
        ({ status }) => status?.ready === 1,
      );
      await started().postgres.lag();
      await delay(LAG_MS);
    },
    async strike(installation, round) {
      const outage = await strike(installation, started(), round);
      if (round.fault === 'lagging standby promoted') losses.push(outage);
      return outage;
    },
    async check(installation) {
      const runs = await replacedRuns(installation);
      runsReplaced = runs.length;
      return withoutCause(runs, losses);
    },
    roundName: ({ fault }) => fault,
    mostOpen: 6,
  };
  const { counts, findings, rounds } = await playRounds(suite, options);
  const faults = Object.fromEntries(
    FAULTS.map((fault) => [fault, rounds.filter((round) => round.fault === fault).length]),
  );
  const runsReplacedWithoutCause = findings.filter(({ guarantee }) => guarantee === 'runs').length;
  return { findings, figures: { ...counts, faults, runsReplaced, runsReplacedWithoutCause } };
}

/** A few lines for a person. */
export function linesOfEngineFigures(figures: EngineFigures): string[] {
  const { faults, runsReplaced, runsReplacedWithoutCause } = figures;
  const struck = FAULTS.map((fault) => `${fault} ${faults[fault] ?? 0}`).join(', ');
  return [
    ...linesOfCounts(figures, struck),
    `runs replaced: ${runsReplaced}, ${runsReplacedWithoutCause} without a cause`,
  ];
}
