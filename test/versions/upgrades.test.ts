import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CloudEvent } from '../../services/adapters/events/event-codec.ts';
import { SUPPORTED_LEVELS } from '../../services/adapters/events/feature-levels.ts';
import { CORE_VERSION } from '../../workflows/job/record/decision-record.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { CronJob } from '../../workflows/kubernetes/objects.ts';
import { failingFirst, type TestCluster } from '../support/cluster.ts';
import { connectCronJobs } from '../support/cron-jobs.ts';
import { serviceSpecs } from '../support/earlier-build.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { createPlaced, isComplete, placedJob } from '../support/placed-jobs.ts';
import { killForGood } from '../support/processes.ts';
import { listDifferences, runJobledger, rebuildTablesWith } from '../support/rebuild.ts';
import { verify, verifyAll } from '../support/verify.ts';
import { AFTER, NEXT, versionTrees, type Version, type VersionTrees } from './trees.ts';

const SERVICES = ['projector', 'ingester', 'worker', 'dispatcher', 'api'] as const;
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-versions-'));
/** Containers that wait for it end when it exists. */
const gate = join(scratch, 'gate');
const UNTIL_GATE = `until [ -e ${gate} ]; do sleep 0.2; done`;
const INDEXES = 30;
const DEADLINE_SECONDS = 60;

let trees: VersionTrees;
let installation: Installation;
let team: TestCluster;
let load: Load;
let tick: CronJob;
const cronJobs = connectCronJobs(() => installation);

beforeAll(async () => {
  const allow = [{ home: 'east', namespaces: ['team'] }];
  const placement = { clusters: ['east', 'west'].map((name) => ({ name, labels: {}, allow })) };
  [trees, installation] = await Promise.all([
    versionTrees(),
    install({
      separate: true,
      clusters: ['east', 'west'].map((name) => ({ name, builtInCronJobController: false })),
      environment: {
        JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl',
        JOBLEDGER_PLACEMENT: JSON.stringify(placement),
        JOBLEDGER_POD_FAILURE_BACKOFF_MS: '15000',
        JOBLEDGER_METRICS_ADDRESS: '127.0.0.1:0',
      },
    }),
  ]);
  await Promise.all(SERVICES.map((service) => start('present', service)));
  const { east, west } = installation.clusters;
  const [inEast] = await Promise.all([east?.inNewNamespace('team'), west?.inNewNamespace('team')]);
  team = inEast ?? installation.cluster;
  load = startLoad();
}, 300_000);

afterAll(async () => {
  writeFileSync(gate, '');
  await load?.stop();
  await installation?.stop();
  trees?.remove();
}, 120_000);

interface Load {
  /** Resolves with the names of all created Jobs. */
  stop(): Promise<readonly string[]>;
}

/** One short Job after another, each once the previous one has ended, until it is stopped. */
function startLoad(): Load {
  const names: string[] = [];
  const over = new AbortController();
  const create = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const name = `load-${names.length}`;
      await installation.cluster.createJob(name, {}, {});
      names.push(name);
      await installation.cluster.finished(name, 120);
    }
  };
  const running = create();
  running.catch(() => undefined);
  return {
    async stop() {
      over.abort();
      await running;
      return names;
    },
  };
}

async function start(version: Version, service: string): Promise<void> {
  for (const spec of serviceSpecs(trees.root[version], installation.environment, [service], `-${version}`))
    await installation.services.start(spec);
}

type Way = 'halted' | 'killed' | 'killed first' | 'successor killed';

/** Replaces service by service; both versions of each run for a while, unless the one that leaves is killed first. */
async function replace(from: Version, to: Version, ways: readonly [string, Way][]): Promise<void> {
  const { services } = installation;
  for (const [service, way] of ways) {
    const leaving = `${service}-${from}`;
    if (way === 'killed first') await killForGood(services, leaving);
    await start(to, service);
    if (way === 'killed') await killForGood(services, leaving);
    if (way === 'successor killed') await services.kill(`${service}-${to}`);
    if (way === 'halted' || way === 'successor killed') await services.halt(leaving);
  }
}

/** The core that made the last decision about a Job. */
async function decidedBy(core: string, name: string): Promise<{ commands: number }> {
  return eventually(`core ${core} decides about ${name}`, 60, async () => {
    const [last] = await installation.sql<{ core: string; commands: number }>(
      `select data ->> 'core' as core, jsonb_array_length(data -> 'commands') as commands
       from jobledger.events where type = 'job.decided' and job_name = $1 order by kafka_offset desc limit 1`,
      [name],
    );
    return last?.core === core ? { commands: last.commands } : undefined;
  });
}

/** Every decision in the ledger is made again, by the core that made it. */
async function expectVerified(version: Version): Promise<void> {
  const root = trees.root[version];
  const { findings, decisions, placements } = await verifyAll({ ...installation, root });
  expect(findings).toEqual([]);
  expect(decisions).toBeGreaterThan(20);
  expect(placements).toMatchObject({ findings: [] });
  expect(await installation.sql('select reason from jobledger.dead_letters')).toEqual([]);
}

function jobledger(version: Version, ...args: string[]): ReturnType<typeof runJobledger> {
  return runJobledger(trees.root[version], installation.environment, ...args);
}

/** The feature level of the installation, as the running API shows it. */
async function levelByApi(): Promise<unknown> {
  const { url, token } = installation.api;
  const answer = await fetch(`${url}/v1/installation`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { feature_level: unknown }).feature_level;
}

/** The name of a Job with a note in this form. */
async function notedJob(form: number): Promise<string> {
  const [row] = await installation.sql<{ job_name: string }>(
    "select job_name from jobledger.events where type = 'job.noted' and type_version = $1 limit 1",
    [form],
  );
  return row?.job_name ?? '';
}

function readEvents(type: string): Promise<{ data: Record<string, unknown> }[]> {
  return installation.sql('select data from jobledger.events where type = $1', [type]);
}

describe('during upgrades with open Jobs and killed services,', () => {
  it('the present version begins with Jobs that wait, run, are late, suspended, placed or started by a CronJob', async () => {
    const { cluster } = installation;
    const shell = (script: string): { command: string[] } => ({ command: ['sh', '-c', script] });
    const indexed = { completionMode: 'Indexed', completions: INDEXES, parallelism: 10 };
    const isLast = `[ $JOB_COMPLETION_INDEX = ${INDEXES - 1} ]`;
    await cluster.createJob('long', indexed, shell(`if ${isLast}; then ${UNTIL_GATE}; fi`));
    await cluster.createJob('idle', {}, shell(UNTIL_GATE));
    await cluster.createJob('suspended', { suspend: true }, {});
    tick = await cronJobs.create('tick', {}, ['true']);
    await cronJobs.overdue('tick');
    await createPlaced(team, { name: 'placed', annotations: { clusters: 'west' }, command: UNTIL_GATE });
    await cluster.jobWhere('suspended', 'is suspended', ({ status }) =>
      Boolean(trueCondition(status ?? {}, 'Suspended')),
    );
    await placedJob(team, 'placed', 'runs in west', ({ status }) => status?.active === 1);
    await cronJobs.jobsWhere(tick, 'has started a Job', (jobs) => jobs.length > 0);
    await eventually('a snapshot of the long Job is recorded', 60, async () =>
      (await readEvents('job.snapshotted')).length > 0 ? true : undefined,
    );
    await cluster.createJob(
      'late',
      { activeDeadlineSeconds: DEADLINE_SECONDS },
      { command: ['sleep', '300'] },
    );
    const failing = failingFirst(1, mkdtempSync(join(scratch, 'failing-')));
    await cluster.createJob('failing', {}, { command: failing });
    await cluster.jobWhere('failing', 'waits after its failure', ({ status }) => status?.failed === 1);
    await decidedBy(CORE_VERSION, 'idle');
    expect(await readEvents('job.snapshotted')).not.toEqual([]);
  }, 180_000);

  it('the next version takes over, one service after another', async () => {
    await replace('present', 'next', [
      ['projector', 'successor killed'],
      ['ingester', 'killed'],
      ['worker', 'killed'],
      ['dispatcher', 'halted'],
      ['api', 'killed first'],
    ]);
    expect(await decidedBy(NEXT.core, 'idle')).toEqual({ commands: 0 });
    await expectVerified('next');
    expect(await levelByApi()).toBe(SUPPORTED_LEVELS.max);
  }, 120_000);

  it('the present version takes over again, on the schema of the next version', async () => {
    await replace('next', 'present', [
      ['dispatcher', 'killed'],
      ['worker', 'killed first'],
      ['ingester', 'halted'],
      ['projector', 'killed first'],
      ['api', 'killed first'],
    ]);
    expect(await decidedBy(CORE_VERSION, 'idle')).toEqual({ commands: 0 });
    expect((await installation.cluster.finished('failing', 90)).status).toMatchObject({
      succeeded: 1,
      failed: 1,
    });
    expect(await installation.cluster.listPods('failing')).toHaveLength(2);
    await expectVerified('next');
    // This version names the decisions that it cannot make again.
    const { findings, exitCode } = await verifyAll({ ...installation, root: trees.root.present });
    expect(new Set((findings as { type: string }[]).map(({ type }) => type))).toEqual(new Set(['newer']));
    expect(exitCode).toBe(1);
  }, 120_000);

  it('the version after the next takes over from the present version, and then the present version takes over again', async () => {
    await replace('present', 'after', [
      ['projector', 'killed first'],
      ['ingester', 'killed'],
      ['worker', 'halted'],
      ['dispatcher', 'killed first'],
      ['api', 'killed first'],
    ]);
    expect(await decidedBy(AFTER.core, 'idle')).toEqual({ commands: 0 });
    await expectVerified('after');
    expect(await levelByApi()).toBe(SUPPORTED_LEVELS.max);
    await replace('after', 'present', [
      ['dispatcher', 'killed'],
      ['worker', 'halted'],
      ['ingester', 'killed first'],
      ['projector', 'killed'],
      ['api', 'killed first'],
    ]);
    expect(await decidedBy(CORE_VERSION, 'idle')).toEqual({ commands: 0 });
    await expectVerified('after');
  }, 180_000);

  it('the next version takes over for good, and writes its new event after the operator has finished the upgrade', async () => {
    await replace('present', 'next', [
      ['projector', 'killed first'],
      ['ingester', 'halted'],
      ['worker', 'successor killed'],
      ['dispatcher', 'killed'],
      ['api', 'killed first'],
    ]);
    expect(await decidedBy(NEXT.core, 'idle')).toEqual({ commands: 0 });
    expect(await readEvents('job.noted')).toEqual([]);
    expect(await installation.sql('select distinct note from jobledger.jobs')).toEqual([{ note: null }]);
    expect(await jobledger('next', 'admin', 'upgrade', '--finalize')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`raised from ${SUPPORTED_LEVELS.max} to ${NEXT.level}`),
    });
    await installation.services.kill('ingester-next');
    await eventually('the note of a Job is in its row', 60, async () => {
      const rows = await installation.sql("select from jobledger.jobs where note = 'seen at level 2'");
      return rows.length > 0 ? true : undefined;
    });
    await expectVerified('after');
    await eventually('the API has seen the level', 30, async () =>
      (await levelByApi()) === NEXT.level ? true : undefined,
    );
  }, 120_000);

  it('the present version refuses to run, or to read a ledger with an event of the next version, and gives the reason', async () => {
    // The next version's API has the address.
    const environment = { ...installation.environment, JOBLEDGER_API_ADDRESS: '127.0.0.1:0' };
    const services = await Promise.all(
      SERVICES.map((service) => runJobledger(trees.root.present, environment, 'run', service)),
    );
    for (const { exitCode, stderr } of services) {
      expect(exitCode).toBe(78);
      expect(stderr).toContain(
        `this installation is at feature level ${NEXT.level}, but this version of Jobledger supports levels up to ${SUPPORTED_LEVELS.max}`,
      );
    }
    expect(await jobledger('present', 'admin', 'verify', '--all')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /partition \d, offset \d+ of the ledger: dev\.jobledger\.job\.noted\.v1 is unknown to this version of Jobledger: start a newer one/,
      ),
    });
    expect(await jobledger('present', 'history', await notedJob(1), '-o', 'json')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(
        'dev.jobledger.job.noted.v1 is unknown to this version of Jobledger: start a newer one',
      ),
    });
  }, 60_000);

  it('the version after the next takes over, and writes an event in its second form after the operator has finished the upgrade', async () => {
    await replace('next', 'after', [
      ['projector', 'killed'],
      ['worker', 'successor killed'],
      ['ingester', 'killed first'],
      ['dispatcher', 'halted'],
      ['api', 'killed first'],
    ]);
    expect(await decidedBy(AFTER.core, 'idle')).toEqual({ commands: 0 });
    expect(await jobledger('after', 'admin', 'upgrade', '--finalize')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`raised from ${NEXT.level} to ${AFTER.level}`),
    });
    await installation.services.kill('ingester-after');
    await eventually('the author of the note is in its row', 60, async () => {
      const rows = await installation.sql("select from jobledger.jobs where noted_by = 'ingester'");
      return rows.length > 0 ? true : undefined;
    });
    // A note in the first form is read from the tables in the second one.
    const { stdout } = await jobledger('after', 'history', await notedJob(1), '-o', 'json');
    const notes = (JSON.parse(stdout) as CloudEvent[]).filter(({ type }) => type.includes('job.noted'));
    expect(notes).toContainEqual(
      expect.objectContaining({
        type: 'dev.jobledger.job.noted.v2',
        data: expect.objectContaining({ by: 'unknown' }),
      }),
    );
    // A row in the second form is refused by a version that knows the first one only.
    const newer = 'which reads job.noted up to version 1: start a newer one';
    expect(await jobledger('next', 'history', await notedJob(2), '-o', 'json')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(newer),
    });
    expect(await jobledger('next', 'admin', 'verify', '--all')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(newer),
    });
  }, 120_000);

  it('all Jobs end as under one version: no Job is lost or runs twice, and the deadline is kept', async () => {
    const { cluster } = installation;
    writeFileSync(gate, '');
    await cluster.patchJob('suspended', { spec: { suspend: false } });
    const names = await load.stop();
    expect(names.length).toBeGreaterThan(5);
    for (const name of [...names, 'idle', 'suspended']) {
      expect((await cluster.finished(name, 90)).status).toMatchObject({ succeeded: 1 });
      expect(await cluster.listPods(name)).toHaveLength(1);
    }
    expect((await cluster.finished('long', 90)).status).toMatchObject({
      succeeded: INDEXES,
      completedIndexes: `0-${INDEXES - 1}`,
    });
    expect(await cluster.listPods('long')).toHaveLength(INDEXES);
    const placed = await placedJob(team, 'placed', 'is complete', isComplete, 90);
    expect(placed.status).toMatchObject({ succeeded: 1 });
    const { status = {} } = await cluster.finished('late', 90);
    const failed = trueCondition(status, 'FailureTarget');
    expect(failed?.reason).toBe('DeadlineExceeded');
    const after = Date.parse(failed?.lastTransitionTime ?? '') - Date.parse(status.startTime ?? '');
    expect(after).toBeGreaterThanOrEqual(DEADLINE_SECONDS * 1000);
    const starts = cronJobs.listStarts('tick').map(({ scheduledAt }) => scheduledAt);
    expect(starts.length).toBeGreaterThan(1);
    expect(new Set(starts).size).toBe(starts.length);
  }, 180_000);

  it('the ledger has decisions of three cores, each core repeats its own decisions, and the tables equal the ledger', async () => {
    await expectVerified('after');
    const cores = await installation.sql(
      `select type, data ->> 'core' as core from jobledger.events where type = 'job.decided' group by 1, 2 order by 2`,
    );
    expect(cores).toEqual(
      [CORE_VERSION, NEXT.core, AFTER.core].map((core) => ({ type: 'job.decided', core })),
    );
    // The frozen cores are needed: the present one decides otherwise.
    const root = trees.root.after;
    const { findings } = await verify({ ...installation, root }, ['--all', '--core', 'current']);
    expect(new Set((findings as { type: string }[]).map(({ type }) => type))).toEqual(new Set(['different']));
    const rebuilt = await rebuildTablesWith(root, installation.environment, '--check');
    expect(listDifferences(rebuilt)).toEqual([]);
    expect(rebuilt.exitCode).toBe(0);
  }, 90_000);
});
