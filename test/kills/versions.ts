import { eventually } from '../support/eventually.ts';
import { serviceSpecs } from '../support/earlier-build.ts';
import { install, type Installation } from '../support/installation.ts';
import { killForGood } from '../support/processes.ts';
import { runJobledger } from '../support/rebuild.ts';
import { versionTrees, type Version, type VersionTrees } from '../versions/trees.ts';
import type { Finding } from './checks.ts';
import { linesOfCounts, sumFigures, type Counts } from './figures.ts';
import { inTurns, createLoad, type Load } from './load.ts';
import { longRun } from './long-run.ts';
import type { Outage } from './outages.ts';
import { playRounds, type RunOptions, type Suite } from './play-rounds.ts';

/**
 * `npm run test:versions -- --rounds 20 --seed 7`: while Jobs are open, the services of an installation that this version has begun go over to the
 * invented next version, back, over again, and to the version after it, two services each round, in a random order. Each service runs in both
 * versions for a while and the leaving version is halted or killed, or it is killed before the other version starts.
 */
const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'] as const;
const WAYS = ['halted', 'killed', 'killed first'] as const;
type Service = (typeof SERVICES)[number];
type Way = (typeof WAYS)[number];

/** Each version is reached two rounds after the previous version. At the end, it goes on between the last two. */
const STATIONS: readonly Version[] = ['present', 'next', 'present', 'next', 'after'];

interface VersionRound extends Load {
  moves: readonly { service: Service; way: Way }[];
}

function createRound(seed: number, number: number): VersionRound {
  const moves = [2 * number, 2 * number + 1].map((move) => ({
    service: inTurns(SERVICES, seed, move) ?? 'worker',
    way: inTurns(WAYS, seed, move, -2_000_001) ?? 'killed',
  }));
  return { ...createLoad(seed, number), moves };
}

function betweenVersions({ root }: VersionTrees): Suite<VersionRound> {
  const running = new Map<Service, Version>();
  let station = 0;
  let level: Version = 'present';
  const start = async (
    { services, environment }: Installation,
    to: Version,
    service: Service,
  ): Promise<void> => {
    for (const spec of serviceSpecs(root[to], environment, [service], `-${to}`)) await services.start(spec);
    running.set(service, to);
  };
  const move = async (
    installation: Installation,
    to: Version,
    { service, way }: VersionRound['moves'][0],
  ) => {
    const { services } = installation;
    const leaving = `${service}-${running.get(service)}`;
    if (way === 'killed first') await killForGood(services, leaving);
    await start(installation, to, service);
    if (way === 'killed') await killForGood(services, leaving);
    if (way === 'halted') await services.halt(leaving);
  };
  return {
    async install(options) {
      const installation = await install(options);
      const startServices = async (): Promise<void> =>
        void (await Promise.all(SERVICES.map((service) => start(installation, 'present', service))));
      return { ...installation, startServices };
    },
    createRound,
    async strike(installation, { moves }): Promise<Outage> {
      const from = Date.now();
      const to = STATIONS[station + 1] ?? (station % 2 === 0 ? 'next' : 'after');
      // The upgrade to the next version is finished before the version after that begins.
      if (to === 'after' && level === 'present') {
        await finalize(installation, root.next);
        level = 'next';
      }
      for (const each of moves) await move(installation, to, each);
      if (SERVICES.every((service) => running.get(service) === to)) station += 1;
      return { from, to: Date.now() };
    },
    check: wrongInTheEnd,
    root: root.after,
    roundName: ({ moves }) =>
      `${moves.map(({ service, way }) => `${service} ${way}`).join(', ')}: ${[...running.values()].join(' ')}`,
    mostOpen: 24,
  };
}

async function finalize({ environment }: Installation, root: string): Promise<void> {
  const { exitCode, stderr } = await runJobledger(root, environment, 'admin', 'upgrade', '--finalize');
  if (exitCode !== 0) throw new Error(`the upgrade cannot be finished: ${stderr}`);
}

/** Records that a reader of any of the versions could not read. */
async function wrongInTheEnd({ sql }: Installation): Promise<Finding[]> {
  const rows = await eventually('the tables answer', 30, () =>
    sql<{ reason: string }>('select reason from jobledger.dead_letters'),
  );
  return rows.map(({ reason }) => ({ guarantee: 'rebuild', text: `set aside: ${reason}` }));
}

interface VersionFigures extends Counts {
  ways: Record<Way, number>;
}

async function runBetweenVersions(
  options: RunOptions,
): Promise<{ figures: VersionFigures; findings: Finding[] }> {
  const trees = await versionTrees();
  try {
    const { counts, findings, rounds } = await playRounds(betweenVersions(trees), options);
    const moves = rounds.flatMap((round) => round.moves);
    const countMoves = (way: Way): number => moves.filter((each) => each.way === way).length;
    const ways = Object.fromEntries(WAYS.map((way) => [way, countMoves(way)])) as Record<Way, number>;
    return { findings, figures: { ...counts, ways } };
  } finally {
    trees.remove();
  }
}

await longRun({
  defaults: { rounds: '20', seed: '7', each: '20', json: 'docs/benchmarks/versions.json' },
  run: runBetweenVersions,
  sumRuns: sumFigures,
  figureLines: (figures) =>
    linesOfCounts(
      figures,
      `services replaced: ${WAYS.map((way) => `${figures.ways[way]} ${way}`).join(', ')}`,
    ),
});
