import { eventually } from '../support/eventually.ts';
import { servicesOf } from '../support/earlier-build.ts';
import { install, type Installation } from '../support/installation.ts';
import { LANDED_VERSIONS } from '../support/landed-versions.ts';
import { releasedVersion } from '../support/released-version.ts';
import type { Finding } from './checks.ts';
import { linesOfCounts, sumOf, type Counts } from './figures.ts';
import { inTurns, loadOf, type Load } from './load.ts';
import { longRun } from './long-run.ts';
import type { Outage } from './outages.ts';
import { playRounds, type RunOptions, type Suite } from './play-rounds.ts';

/**
 * `npm run test:versions -- --rounds 20 --seed 7`: the services of an installation, which the version before this one has begun,
 * go over to this version, back, and over again, one each round, while Jobs are open. In half of the rounds both run for a
 * while and the one that leaves is halted; in the others it is killed before the next one starts.
 */
const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'] as const;
const WAYS = ['beside', 'killed'] as const;
const EARLIER = '-earlier';

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
  /** The services that are of this version. */
  const replaced = new Set<string>();
  const startEarlier = async (installation: Installation, names: readonly string[]): Promise<void> => {
    for (const spec of servicesOf(root, installation.environment, names, EARLIER))
      await installation.services.start(spec);
  };
  return {
    async install(options) {
      const installation = await install({ ...options, database: 'empty' });
      return { ...installation, startServices: () => startEarlier(installation, SERVICES) };
    },
    roundOf,
    async strike(installation, { service, way }): Promise<Outage> {
      const isBack = replaced.has(service);
      const leaving = isBack ? service : `${service}${EARLIER}`;
      const [from, { services }] = [Date.now(), installation];
      const start = (): Promise<void> =>
        isBack ? startEarlier(installation, [service]) : startOfThis(installation, service);
      if (way === 'killed') {
        await services.kill(leaving);
        await services.halt(leaving);
      }
      await start();
      if (way === 'beside') await services.halt(leaving);
      if (isBack) replaced.delete(service);
      else replaced.add(service);
      return { from, to: Date.now() };
    },
    settled: untilRepaired,
    check: wrongInTheEnd,
    nameOf: ({ service, way }) =>
      `${service} ${way}, ${replaced.size} of ${SERVICES.length} are of this version`,
    mostOpen: 24,
  };
}

async function startOfThis(installation: Installation, service: string): Promise<void> {
  const specs = servicesOf(process.cwd(), installation.environment, [service], '');
  for (const spec of specs) await installation.services.start(spec);
}

/** This version has written what the projector of the earlier one does not know. */
async function untilRepaired({ sql }: Installation): Promise<void> {
  await eventually('the rows of the earlier projector are repaired', 60, async () => {
    const behind = await sql('select from jobledger.positions where situations_offset < next_offset');
    return behind.length === 0 || undefined;
  });
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
  const commit = LANDED_VERSIONS.at(-1)?.commit ?? '';
  options.say(`${commit} and this version`);
  const suite = betweenVersions(await releasedVersion(commit));
  const { counts, findings, rounds } = await playRounds(suite, options);
  const timesOf = (way: VersionRound['way']): number => rounds.filter((round) => round.way === way).length;
  return { findings, figures: { ...counts, ways: { beside: timesOf('beside'), killed: timesOf('killed') } } };
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
