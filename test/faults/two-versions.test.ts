import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compiledProgram, PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { trueCondition } from '../../workflows/job/definitions/conditions.ts';
import { CORE_VERSION } from '../../workflows/job/record/decision-id.ts';
import { SUPPORTED_LEVELS } from '../../services/adapters/events/feature-levels.ts';
import { failingFirst } from '../support/cluster.ts';
import { servicesOf } from '../support/earlier-build.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { SUCCESSOR, successor } from '../support/successor.ts';

const SERVICES = ['projector', 'ingester', 'worker', 'dispatcher'];
const next = (name: string): string => `${name}-next`;
const NEXT = successor();
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-two-versions-'));

let installation: Installation;
let load: Load;

beforeAll(async () => {
  installation = await install({ environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '15000' } });
  await installation.startServices();
  load = startLoad();
}, 240_000);

afterAll(async () => {
  await load?.stop();
  await installation?.stop();
  rmSync(NEXT, { recursive: true, force: true });
}, 60_000);

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
  return {
    async stop() {
      over.abort();
      await running;
      return names;
    },
  };
}

async function startNext(name: string): Promise<void> {
  for (const spec of servicesOf(NEXT, installation.environment, [name], '-next'))
    await installation.services.start(spec);
}

async function coreOf(name: string): Promise<string | undefined> {
  const [last] = await installation.sql<{ core: string }>(
    `select data ->> 'core' as core from jobledger.events where type = 'job.decided' and job_name = $1
     order by kafka_offset desc limit 1`,
    [name],
  );
  return last?.core;
}

async function decidedBy(core: string, name: string): Promise<string> {
  return eventually(`core ${core} decides about ${name}`, 60, async () =>
    (await coreOf(name)) === core ? core : undefined,
  );
}

interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a program of one of the two versions to its end. */
function run(root: string, ...args: string[]): Promise<Ran> {
  const env = { ...installation.environment, JOBLEDGER_METRICS_ADDRESS: '127.0.0.1:0' };
  return new Promise((resolve) => {
    execFile('node', args, { cwd: root, env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) =>
      resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe('this version and its successor side by side, under load and kills', () => {
  it('start with this version', async () => {
    const { cluster } = installation;
    await cluster.createJob('idle', {}, { command: ['sleep', '300'] });
    await cluster.createJob('late', { activeDeadlineSeconds: 60 }, { command: ['sleep', '300'] });
    const failing = failingFirst(1, mkdtempSync(join(scratch, 'failing-')));
    await cluster.createJob('failing', {}, { command: failing });
    for (const name of ['idle', 'late'])
      await cluster.jobWhere(name, 'has a ready pod', ({ status }) => status?.ready === 1);
    expect(await decidedBy(CORE_VERSION, 'idle')).toBe(CORE_VERSION);
  }, 60_000);

  it('upgrade service by service, both running for a while', async () => {
    const { services } = installation;
    for (const name of SERVICES) {
      await startNext(name);
      if (name === 'ingester' || name === 'worker') await services.kill(name);
      await services.halt(name);
    }
    expect(await decidedBy(SUCCESSOR.core, 'idle')).toBe(SUCCESSOR.core);
    expect(await installation.sql('select distinct note from jobledger.jobs')).toEqual([{ note: 'none' }]);
  }, 120_000);

  it('go back the same way', async () => {
    const { services } = installation;
    for (const name of SERVICES.toReversed()) {
      await installation.startServices([name]);
      if (name === 'dispatcher' || name === 'projector') await services.kill(next(name));
      await services.halt(next(name));
    }
    expect(await decidedBy(CORE_VERSION, 'idle')).toBe(CORE_VERSION);
    const { status } = await installation.cluster.finished('failing', 90);
    expect(status).toMatchObject({ succeeded: 1, failed: 1 });
    expect(await installation.cluster.podsOf('failing')).toHaveLength(2);
  }, 120_000);

  it('and upgrade for good: no Job was lost or run twice, no deadline moved, nothing set aside', async () => {
    const { cluster, services } = installation;
    for (const name of SERVICES) {
      await startNext(name);
      await services.halt(name);
    }
    const names = await load.stop();
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      expect((await cluster.finished(name, 90)).status).toMatchObject({ succeeded: 1 });
      expect(await cluster.podsOf(name)).toHaveLength(1);
    }
    const { status = {} } = await cluster.finished('late', 90);
    const failed = trueCondition(status, 'FailureTarget');
    expect(failed?.reason).toBe('DeadlineExceeded');
    const after = Date.parse(failed?.lastTransitionTime ?? '') - Date.parse(status.startTime ?? '');
    expect(after).toBeGreaterThanOrEqual(60_000);
    expect(await decidedBy(SUCCESSOR.core, 'idle')).toBe(SUCCESSOR.core);
    expect(await installation.sql('select reason from jobledger.dead_letters')).toEqual([]);
  }, 180_000);

  it('every decision is verified by the core that made it; this version names those that it cannot make again', async () => {
    const theirs = await run(NEXT, 'cli/jobledger.mjs', 'verify', '--all', '-o', 'json');
    expect(JSON.parse(theirs.stdout)).toMatchObject({ findings: [], unchecked: 0 });
    const ours = await run(PACKAGE_DIR, 'cli/jobledger.mjs', 'verify', '--all', '-o', 'json');
    const { findings } = JSON.parse(ours.stdout) as { findings: { kind: string }[] };
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['newer']));
    expect(ours.exitCode).toBe(1);
  }, 60_000);

  it('write no new format before the operator has finished the upgrade, and then they do', async () => {
    const noted = (): Promise<unknown[]> =>
      installation.sql("select id from jobledger.events where type = 'cluster.noted'");
    expect(await noted()).toEqual([]);
    const finalized = await run(NEXT, 'cli/jobledger.mjs', 'upgrade', '--finalize');
    expect(finalized).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`raised from ${SUPPORTED_LEVELS.max} to ${SUCCESSOR.level}`),
    });
    await installation.services.kill(next('ingester'));
    const written = await eventually('the new type is in SQL', 60, async () => {
      const found = await noted();
      return found.length > 0 ? found : undefined;
    });
    expect(written).toHaveLength(1);
  }, 90_000);

  it('from then on this version refuses to start, with the reason', async () => {
    const refused = await Promise.all(
      SERVICES.map((name) => run(PACKAGE_DIR, compiledProgram(`services/${name}/main.ts`))),
    );
    for (const { exitCode, stderr } of refused) {
      expect(exitCode).toBe(78);
      expect(stderr).toContain(
        `this installation is at feature level ${SUCCESSOR.level}, this version of Jobledger supports levels up to ${SUPPORTED_LEVELS.max}`,
      );
    }
    const verified = await run(PACKAGE_DIR, 'cli/jobledger.mjs', 'verify', '--all');
    expect(verified).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('start a newer one') });
  }, 60_000);
});
