import { install } from '../support/installation.ts';
import type { Finding } from './checks.ts';
import type { Figures } from './figures.ts';
import { playRounds, type RunOptions, type Suite } from './play-rounds.ts';
import { PARTS, createRound, type Part, type Round } from './rounds.ts';
import { strike } from './strike.ts';

export interface RunResult {
  figures: Figures;
  findings: Finding[];
}

const KILLS: Suite<Round> = {
  install,
  createRound,
  strike,
  roundName: (round) =>
    [round.strike, round.part, ...(round.fault === undefined ? [] : [round.fault])].join(' '),
  mostOpen: 36,
};

/** Kills a part in each round, or stops it for a while. */
export async function runRounds(options: RunOptions): Promise<RunResult> {
  const { counts, findings, rounds } = await playRounds(KILLS, options);
  const killed = rounds.filter((round) => round.strike === 'kill');
  const kills = Object.fromEntries(
    PARTS.map((part) => [part, killed.filter((round) => round.part === part).length]),
  ) as Record<Part, number>;
  return { findings, figures: { ...counts, kills, stops: rounds.length - killed.length } };
}
