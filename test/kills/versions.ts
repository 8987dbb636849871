import { rmSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';
import { servicesOf } from '../support/earlier-build.ts';
import { install, type Installation } from '../support/installation.ts';
import { successor } from '../support/successor.ts';
import type { Finding } from './checks.ts';
import { linesOfCounts, sumOf, type Counts } from './figures.ts';
import { inTurns, loadOf, type Load } from './load.ts';
import { longRun } from './long-run.ts';
import type { Outage } from './outages.ts';
import { playRounds, type RunOptions, type Suite } from './play-rounds.ts';

/**
 * `npm run test:versions -- --rounds 20 --seed 7`: the services of an installation, which this version has begun, go over to an
 * invented next version, back, and over again, one each round, while Jobs are open. In half of the rounds both run for a while
 * and the one that leaves is halted; in the others it is killed before the next one starts.
 */
const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'] as const;
const WAYS = ['beside', 'killed'] as const;
const NEXT = '-next';

interface VersionRound extends Load {
  service: (typeof SERVICES)[number];
  way: (typeof WAYS)[number];
}

function roundOf(seed: number, number: number): VersionRound {
  return {
    ...loadOf(seed, number),
    service: inTurns(SERVICES, seed, number) ?? 'worker',
    way: inTurns(WAYS, seed, Math.floor(number / SERVICES.length) + number) ?? 'beside',
  };
}

function betweenVersions(root: string): Suite<VersionRound> {
  /** The services that are of the next version. */
  const replaced = new Set<string>();
  const startNext = async (installation: Installation, service: string): Promise<void> => {
    for (const spec of servicesOf(root, installation.environment, [service], NEXT))
      await installation.services.start(spec);
  };
  return {
    install,
    roundOf,
    async strike(installation, { service, way }): Promise<Outage> {
      const isBack = replaced.has(service);
      const leaving = isBack ? `${service}${NEXT}` : service;
      const [from, { services }] = [Date.now(), installation];
      if (way === 'killed') {
        await services.kill(leaving);
        await services.halt(leaving);
      }
      await (isBack ? installation.startServices([service]) : startNext(installation, service));
      if (way === 'beside') await services.halt(leaving);
      if (isBack) replaced.delete(service);
      else replaced.add(service);
      return { from, to: Date.now() };
    },
    check: wrongInTheEnd,
    root,
    nameOf: ({ service, way }) =>
      `${service} ${way}, ${replaced.size} of ${SERVICES.length} are of the next version`,
    mostOpen: 24,
  };
}

/** Records that a reader of either version could not read. */
async function wrongInTheEnd({ sql }: Installation): Promise<Finding[]> {
  const rows = await eventually('the tables answer', 30, () =>
    sql<{ reason: string }>('select reason from jobledger.dead_letters'),
  );
  return rows.map(({ reason }) => ({ guarantee: 'rebuild', text: `set aside: ${reason}` }));
}

interface VersionFigures extends Counts {
  ways: Record<(typeof WAYS)[number], number>;
}

async function runBetweenVersions(
  options: RunOptions,
): Promise<{ figures: VersionFigures; findings: Finding[] }> {
  const root = successor();
  try {
    const { counts, findings, rounds } = await playRounds(betweenVersions(root), options);
    const timesOf = (way: VersionRound['way']): number => rounds.filter((round) => round.way === way).length;
    return {
      findings,
      figures: { ...counts, ways: { beside: timesOf('beside'), killed: timesOf('killed') } },
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

await longRun({
  defaults: { rounds: '20', seed: '7', each: '20', json: 'docs/benchmarks/versions.json' },
  run: runBetweenVersions,
  sumOf,
  linesOf: (figures) =>
    linesOfCounts(
      figures,
      `services replaced: ${figures.ways.beside} beside each other, ${figures.ways.killed} after a kill`,
    ),
});
