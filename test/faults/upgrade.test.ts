import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wantedKubernetes } from '../../infra/tools/kubernetes-versions.ts';
import { GANG_SCHEDULING_FROM_LEVEL } from '../../services/adapters/events/feature-levels.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { trueCondition } from '../../workflows/job/definitions/conditions.ts';
import { CORE_VERSION } from '../../workflows/job/record/decision-id.ts';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import { failingFirst } from '../support/cluster.ts';
import { servicesOf } from '../support/earlier-build.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { LANDED_VERSIONS, UPGRADED_FROM } from '../support/landed-versions.ts';
import { jobledger, rebuildTables } from '../support/rebuild.ts';
import { releasedVersion } from '../support/released-version.ts';
import { verifyAll } from '../support/verify.ts';

const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'];
const before = (name: string): string => `${name}-earlier`;
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-upgrade-'));

/** The operator can go back to this version until the upgrade is finalized. */
const PREVIOUS = LANDED_VERSIONS.at(-1)?.commit;

let installation: Installation;

async function installOf(commit: string, hasGangs: boolean): Promise<void> {
  const prepared = releasedVersion(commit);
  prepared.catch(() => undefined);
  installation = await install({
    database: 'empty',
    clusters: [{ name: 'local', gangScheduling: hasGangs }],
    environment: {
      JOBLEDGER_POD_FAILURE_BACKOFF_MS: '12000',
      JOBLEDGER_GANG_SCHEDULING: String(hasGangs),
    },
  });
  await prepared;
  await startEarlier(commit, SERVICES);
}

async function startEarlier(commit: string, names: readonly string[]): Promise<void> {
  const root = await releasedVersion(commit);
  for (const spec of servicesOf(root, installation.environment, names))
    await installation.services.start(spec);
}

/** They have ended, each with its single pod. */
async function expectEnded(...shorts: number[]): Promise<void> {
  for (const at of shorts) {
    const { status } = await installation.cluster.finished(`short-${at}`, 120);
    expect(status).toMatchObject({ succeeded: 1 });
    expect(await installation.cluster.podsOf(`short-${at}`)).toHaveLength(1);
  }
}

/** Short Jobs that are created while the services are replaced. */
function load(from: number, count: number): Promise<unknown> {
  const names = Array.from({ length: count }, (_none, at) => `short-${from + at}`);
  return Promise.all(names.map((name) => installation.cluster.createJob(name, {}, {})));
}

/** A pod of the gang is deleted; the one in its place joins the same group. */
async function expectGangGoesOn(): Promise<void> {
  const { cluster } = installation;
  const live = async (): Promise<Pod[]> =>
    (await cluster.podsOf('together')).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const [first] = await live();
  await cluster.deletePod(first?.metadata.name ?? '', 0);
  const pods = await eventually('the gang is complete again', 60, async () => {
    const found = await live();
    const isReplaced = found.every(({ metadata }) => metadata.uid !== first?.metadata.uid);
    return isReplaced && found.length === 3 ? found : undefined;
  });
  const group = first?.spec.schedulingGroup?.podGroupName;
  expect(group).toBeDefined();
  expect(new Set(pods.map(({ spec }) => spec.schedulingGroup?.podGroupName))).toEqual(new Set([group]));
}

async function signalSuspend(name: string): Promise<void> {
  const job = await installation.cluster.job(name);
  const temporal = await installation.temporal();
  const handle = temporal.workflow.getHandle(workflowId('local', job?.metadata.uid ?? ''));
  await handle.signal('suspend', { by: 'someone' });
  await temporal.connection.close();
}

async function decisionsOf(name: string): Promise<{ core: string; commands: number }[]> {
  return installation.sql(
    `select data ->> 'core' as core, jsonb_array_length(data -> 'commands') as commands from jobledger.events
     where type = 'job.decided' and job_name = $1 order by kafka_offset`,
    [name],
  );
}

describe.each(UPGRADED_FROM)(
  'an upgrade from version $commit while Jobs are open',
  ({ commit, core, featureLevel }) => {
    // Earlier versions know the gangs of 1.36 only: `JOBLEDGER_LOCAL_KUBERNETES=1.36 npm test -- test/faults/upgrade`.
    const hasGangs = wantedKubernetes() === '1.36' && featureLevel >= GANG_SCHEDULING_FROM_LEVEL;

    beforeAll(() => installOf(commit, hasGangs), 240_000);
    afterAll(() => installation?.stop(), 60_000);

    it('starts with Jobs that wait, run, are late or suspended', async () => {
      const { cluster } = installation;
      await cluster.createJob(
        'failing',
        {},
        { command: failingFirst(1, mkdtempSync(join(scratch, 'failing-'))) },
      );
      await cluster.createJob('late', { activeDeadlineSeconds: 35 }, { command: ['sleep', '300'] });
      await cluster.createJob('suspended', { suspend: true }, {});
      await cluster.createJob('idle', {}, { command: ['sleep', '300'] });
      await cluster.createJob('wished', {}, { command: ['sleep', '300'] });
      await cluster.createJob(
        'indexed',
        { completionMode: 'Indexed', completions: 3, parallelism: 1 },
        { command: ['sleep', '4'] },
      );
      if (hasGangs)
        await cluster.createJob(
          'together',
          { completionMode: 'Indexed', completions: 3, parallelism: 3 },
          { command: ['sleep', '600'] },
        );
      await load(0, 5);
      await cluster.jobWhere('failing', 'waits after its failure', ({ status }) => status?.failed === 1);
      for (const name of ['late', 'idle', 'wished'])
        await cluster.jobWhere(name, 'has a ready pod', ({ status }) => status?.ready === 1);
      const { status } = await cluster.jobWhere('suspended', 'is suspended', (job) =>
        Boolean(trueCondition(job.status ?? {}, 'Suspended')),
      );
      expect(status?.active).toBeUndefined();
    }, 60_000);

    it('replaces service by service, one of them killed on the way, and loses nothing', async () => {
      const { cluster, services } = installation;
      for (const [at, name] of ['projector', 'ingester', 'worker', 'dispatcher'].entries()) {
        await installation.startServices([name]);
        await load(10 + at, 1);
        if (name === 'ingester') await services.kill(before(name));
        await services.halt(before(name));
        // The run of the old build does not read this signal any more.
        if (name === 'worker') await signalSuspend('wished');
      }
      await load(20, 5);
      await expectEnded(0, 1, 2, 3, 4, 10, 11, 12, 13, 20, 21, 22, 23, 24);
      expect((await cluster.finished('indexed')).status).toMatchObject({
        succeeded: 3,
        completedIndexes: '0-2',
      });
      expect((await cluster.finished('failing')).status).toMatchObject({ succeeded: 1, failed: 1 });
      expect(await cluster.podsOf('failing')).toHaveLength(2);
      if (hasGangs) await expectGangGoesOn();
    }, 180_000);

    it('carries out a request signalled to a run of the old build that never read it (J-6.41)', async () => {
      const { spec } = await installation.cluster.jobWhere('wished', 'is suspended', ({ status }) =>
        Boolean(trueCondition(status ?? {}, 'Suspended')),
      );
      expect(spec.suspend).toBe(true);
    }, 60_000);

    it('moves no deadline', async () => {
      const { status = {} } = await installation.cluster.finished('late');
      const failed = trueCondition(status, 'FailureTarget');
      expect(failed?.reason).toBe('DeadlineExceeded');
      const after = Date.parse(failed?.lastTransitionTime ?? '') - Date.parse(status.startTime ?? '');
      expect(after).toBeGreaterThanOrEqual(35_000);
      expect(after).toBeLessThanOrEqual(45_000);
    }, 60_000);

    it('lets the present core decide about each open Job, which a decision records when it is new', async () => {
      const decisions = await eventually('the present core has decided about the idle Job', 30, async () => {
        const found = await decisionsOf('idle');
        return found.at(-1)?.core === CORE_VERSION ? found : undefined;
      });
      expect(decisions[0]?.core).toBe(core);
      if (core !== CORE_VERSION) expect(decisions.at(-1)).toEqual({ core: CORE_VERSION, commands: 0 });
      expect((await decisionsOf('suspended')).at(-1)?.core).toBe(CORE_VERSION);
    }, 40_000);

    if (commit === PREVIOUS)
      it('goes back and up again while services are killed, and no Job is lost, none runs twice', async () => {
        const { cluster, services } = installation;
        await cluster.createJob(
          'across',
          { completionMode: 'Indexed', completions: 8, parallelism: 1 },
          { command: ['sleep', '3'] },
        );
        for (const [at, name] of ['dispatcher', 'worker', 'ingester', 'projector'].entries()) {
          await load(30 + at, 1);
          await startEarlier(commit, [name]);
          await services.kill(name);
          await services.halt(name);
        }
        await load(40, 2);
        await services.kill(before('worker'));
        await expectEnded(30, 31, 32, 33, 40, 41);
        await eventually('the core of the version before has decided', 30, async () => {
          const last = (await decisionsOf('short-41')).at(-1);
          return last?.core === core ? last : undefined;
        });
        if (hasGangs) await expectGangGoesOn();
        for (const [at, name] of ['projector', 'ingester', 'worker', 'dispatcher'].entries()) {
          await load(50 + at, 1);
          await installation.startServices([name]);
          await services.kill(before(name));
          await services.halt(before(name));
        }
        await expectEnded(50, 51, 52, 53);
        const { status } = await cluster.finished('across', 120);
        expect(status).toMatchObject({ succeeded: 8, completedIndexes: '0-7' });
        expect(await cluster.podsOf('across')).toHaveLength(8);
        if (hasGangs) await expectGangGoesOn();
      }, 300_000);

    it('keeps every old decision verifiable, and the tables equal to the ledger', async () => {
      const { findings, decisions } = await verifyAll(installation);
      expect(findings).toEqual([]);
      expect(decisions).toBeGreaterThan(30);
      expect(await installation.sql('select * from jobledger.dead_letters')).toEqual([]);
      // What the older projector wrote after the migration lacks the new columns, as the changelog says.
      const corrected = await rebuildTables(installation.environment);
      const different = corrected.tables.filter(({ shown }) => shown.length > 0).map(({ table }) => table);
      expect(different.filter((table) => !['jobs', 'pods'].includes(table))).toEqual([]);
      const { exitCode } = await rebuildTables(installation.environment, '--check');
      expect(exitCode).toBe(0);
    }, 90_000);

    it('is finished by the operator only', async () => {
      const finalized = await jobledger(installation.environment, 'upgrade', '--finalize');
      expect(finalized.exitCode).toBe(0);
    }, 30_000);
  },
);
