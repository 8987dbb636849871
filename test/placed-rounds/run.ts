import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lastLines } from '../../infra/local/processes/logs.ts';
import { errorMessage } from '../../services/adapters/errors.ts';
import { checkRecord } from '../kills/checks.ts';
import type { RunOptions } from '../kills/play-rounds.ts';
import { aWitness, installThreeClusters, type ThreeClusters } from '../support/placed-jobs.ts';
import { checkRuns } from './check-runs.ts';
import { prepare, strike, type FaultTools } from './faults.ts';
import { countFaults, type Figures } from './figures.ts';
import type { Finding } from './findings.ts';
import { roundJobs } from './jobs.ts';
import { lostAnswers, type LostAnswers } from './lost-answers.ts';
import { createRound, type Round } from './rounds.ts';

export interface RunResult {
  figures: Figures;
  findings: Finding[];
}

/** On three clusters of its own: a fault in each round, while Jobs of earlier rounds are still open. */
export async function runRounds(options: RunOptions, { ownServers = false } = {}): Promise<RunResult> {
  const losses = lostAnswers();
  const three = await installThreeClusters({
    doubled: true,
    linked: true,
    requestsTo: losses.requestsTo,
    ownServers,
    ownClusters: true,
  });
  const refusals: Finding[] = [];
  let result: RunResult | undefined;
  try {
    result = await playRounds(three, losses, options);
  } finally {
    await three.jobledger.stop().catch((error: unknown) => {
      refusals.push({ guarantee: 'refusals', text: errorMessage(error) });
    });
  }
  for (const { text } of refusals) options.report(text);
  const findings = [...result.findings, ...refusals];
  return { findings, figures: { ...result.figures, findings: findings.length } };
}

/** The number of lines printed of each log when a run stands still. */
const LAST_LINES = 60;

/** So that a slow machine slows the rounds: a round begins when at most this many Jobs are open. */
const MOST_OPEN = 6;

/** Strikes in each round, waits for all Jobs, and checks every guarantee. */
async function playRounds(
  three: ThreeClusters,
  losses: LostAnswers,
  options: RunOptions,
): Promise<RunResult> {
  const { seed, from, rounds: count, report } = options;
  const witness = aWitness();
  const jobs = roundJobs(three, witness);
  const tools: FaultTools = { losses, edit: (round, patch) => jobs.edit(round, patch) };
  const rounds: Round[] = [];
  const findings: Finding[] = [];
  const begun = Date.now();
  /** Shows the open Jobs when something takes too long. */
  const shown = (step: Promise<void>): Promise<void> =>
    step.catch(async (error: unknown) => {
      for (const name of jobs.open()) report(`${name}:\n${await readLedger(three, name)}`);
      for (const log of readLogs(three)) report(log);
      throw error;
    });
  for (let number = from; number < from + count; number += 1) {
    const round = createRound(seed, number);
    const at = Date.now();
    await shown(jobs.atMost(MOST_OPEN));
    prepare(tools, round);
    await jobs.begin(round);
    await delay(round.moment);
    await shown(strike(three, round, tools));
    rounds.push(round);
    const kills = round.kills.map(({ service }) => service).join(', ');
    report(
      `round ${number}: ${round.fault} ${round.cluster}, killed ${kills}, ${((Date.now() - at) / 1000).toFixed(1)} s, ${jobs.open().length} Jobs open, ${witness.overlaps().length} overlaps`,
    );
  }
  await shown(jobs.atMost(0)).catch(async (error: unknown) => {
    for (const name of jobs.open()) report(`${name}:\n${await readLedger(three, name)}`);
    throw error;
  });
  const seconds = (Date.now() - begun) / 1000;
  const runs = await checkRuns(three.jobledger, jobs.jobs, witness);
  const record = await checkRecord(three.jobledger);
  findings.push(...runs.findings, ...(record.findings as Finding[]));
  for (const { guarantee, text } of findings) report(`${guarantee}: ${text}`);
  for (const { name } of jobs.jobs)
    if (findings.some(({ text }) => text.includes(`${name}/`)))
      report(`${name}:\n${await readLedger(three, name)}`);
  const kills = rounds.reduce((sum, round) => sum + round.kills.length, 0);
  return {
    findings,
    figures: {
      rounds: count,
      seconds,
      jobs: jobs.jobs.length,
      faults: countFaults(rounds.map(({ fault }) => fault)),
      kills,
      grants: await countGrants(three),
      answersLost: losses.unanswered,
      refusedAfterwards: losses.refused,
      ...runs.figures,
      ...record.figures,
      findings: findings.length,
    },
  };
}

async function countGrants({ jobledger }: ThreeClusters): Promise<Record<string, number>> {
  const rows = await jobledger.sql<{ reason: string; count: number }>(
    "select coalesce(end_reason, 'open') as reason, count(*)::int from jobledger.placements group by 1 order by 1",
  );
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}

/** The ends of the logs of all servers and services, for a person. */
function readLogs({ jobledger }: ThreeClusters): string[] {
  const folder = join(jobledger.stateDir, 'logs');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log') && !name.endsWith('-audit.log'))
    .map((name) => `${name}:\n${lastLines(join(folder, name), LAST_LINES).join('\n')}`);
}

/** The events of a Job and its members, for a person. */
async function readLedger({ jobledger }: ThreeClusters, job: string): Promise<string> {
  const rows = await jobledger.sql<{ line: string }>(
    `select time || ' ' || type || ' ' || (data->>'cluster') || ' ' || left(data::text, 1500) as line
     from jobledger.events where job_name = $1 or job_name like $1 || '-m%' order by time, kafka_offset`,
    [job],
  );
  return rows.map(({ line }) => line).join('\n');
}
