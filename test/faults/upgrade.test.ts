import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { trueCondition } from '../../workflows/job/conditions.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { PACKAGE_DIR } from '../../infra/node-command.ts';
import { workflowBuild } from '../../services/adapters/temporal/build.ts';
import { workflowBundle } from '../../services/adapters/temporal/bundle.ts';
import { dataConverter } from '../../services/adapters/temporal/connection.ts';
import { signalWish } from '../../services/adapters/temporal/job-workflows.ts';
import { taskQueue, workflowId } from '../../services/adapters/temporal/names.ts';
import { failingFirst } from '../support/cluster.ts';
import { earlierBuild, servicesOf } from '../support/earlier-build.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { verifyAll } from '../support/verify.ts';

const BUILD = workflowBuild(PACKAGE_DIR);
const DRIVERS = ['dispatcher', 'worker'];
/** The earlier code sent every decision by an ordinary activity: other events, in another order. */
const EARLIER = earlierBuild([
  { file: 'workflows/job/cheap.ts', now: 'CHEAP_PODS = 20', was: 'CHEAP_PODS = -1' },
]);

let installation: Installation;
let temporal: Client;
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-upgrade-'));

beforeAll(async () => {
  installation = await install({ environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '12000' } });
  temporal = await installation.temporal();
  await installation.startServices(['ingester', 'projector']);
  for (const spec of servicesOf(EARLIER, installation.environment, DRIVERS))
    await installation.services.start(spec);
}, 240_000);

afterAll(async () => {
  await temporal?.connection.close();
  await installation?.stop();
  rmSync(EARLIER, { recursive: true, force: true });
}, 30_000);

const idOf = ({ metadata }: Job): string => workflowId('local', metadata.uid);

async function drivenBy(build: string, job: Job): Promise<void> {
  await eventually(`${job.metadata.name} is driven by build ${build}`, 30, async () => {
    const { taskQueue: queue, status } = await temporal.workflow.getHandle(idOf(job)).describe();
    return queue === taskQueue('local', build) && status.name === 'RUNNING' ? true : undefined;
  });
}

/** Runs a workflow's history through this build's code again. */
async function replayed(job: Job): Promise<void> {
  const history = await temporal.workflow.getHandle(idOf(job)).fetchHistory();
  const bundle = { codePath: await workflowBundle(PACKAGE_DIR) };
  await Worker.runReplayHistory({ workflowBundle: bundle, dataConverter }, history, idOf(job));
}

describe('an upgrade of the workflow code while Jobs run, old and new services side by side for a while', () => {
  let failing: Job;
  let late: Job;
  let wished: Job;

  it('an earlier build begins them', async () => {
    const { cluster } = installation;
    [failing, late, wished] = await Promise.all([
      cluster.createJob('failing', {}, { command: failingFirst(1, mkdtempSync(join(scratch, 'failing-'))) }),
      cluster.createJob('late', { activeDeadlineSeconds: 25 }, { command: ['sleep', '300'] }),
      cluster.createJob('wished', {}, { command: ['sleep', '300'] }),
    ]);
    await cluster.jobWhere('failing', 'waits after its failure', ({ status }) => status?.failed === 1);
    for (const name of ['late', 'wished'])
      await cluster.jobWhere(name, 'has a ready pod', ({ status }) => status?.ready === 1);
    await drivenBy(workflowBuild(EARLIER), failing);
    expect(workflowBuild(EARLIER)).not.toBe(BUILD);
  }, 60_000);

  it('their histories do not replay on this build, so it must not be given them', async () => {
    await expect(replayed(failing)).rejects.toBeInstanceOf(DeterminismViolationError);
  }, 30_000);

  it('this build takes them over from the ledger: the same pods, deadline and back-off as before', async () => {
    const { cluster, services } = installation;
    await services.halt('worker-earlier');
    await signalWish(temporal, { cluster: 'local', uid: wished.metadata.uid }, 'suspend', { by: 'someone' });
    await installation.startServices(DRIVERS);
    await Promise.all([failing, late, wished].map((job) => drivenBy(BUILD, job)));
    await services.halt('dispatcher-earlier');
    const [failed, ended] = await Promise.all([cluster.finished('failing'), cluster.finished('late')]);
    expect(failed.status).toMatchObject({ succeeded: 1, failed: 1 });
    expect(await cluster.podsOf('failing')).toHaveLength(2);
    const target = trueCondition(ended.status ?? {}, 'FailureTarget');
    expect(target?.reason).toBe('DeadlineExceeded');
    expect(
      Date.parse(target?.lastTransitionTime ?? '') - Date.parse(ended.status?.startTime ?? ''),
    ).toBeLessThanOrEqual(35_000);
    expect((await cluster.podsOf('late')).length).toBeLessThanOrEqual(1);
  }, 90_000);

  it('the histories of this build replay on it', async () => {
    await expect(replayed(failing)).resolves.toBeUndefined();
  }, 30_000);

  it('a wish that nobody had read is heard by the build that takes over (J-6.41)', async () => {
    const { cluster } = installation;
    const { spec } = await cluster.jobWhere('wished', 'is suspended', ({ status }) =>
      Boolean(trueCondition(status ?? {}, 'Suspended')),
    );
    expect(spec.suspend).toBe(true);
  }, 40_000);

  it('and back: the earlier build takes over what this one has begun, all the same', async () => {
    const { cluster } = installation;
    const job = await cluster.createJob('returning', {}, { command: ['sleep', '20'] });
    await cluster.jobWhere('returning', 'has a ready pod', ({ status }) => status?.ready === 1);
    await installation.haltServices(DRIVERS);
    for (const spec of servicesOf(EARLIER, installation.environment, DRIVERS))
      await installation.services.start(spec);
    await drivenBy(workflowBuild(EARLIER), job);
    const { status } = await cluster.finished('returning');
    expect(status).toMatchObject({ succeeded: 1 });
    expect(await cluster.podsOf('returning')).toHaveLength(1);
  }, 90_000);

  it('every decision of both builds re-executes', async () => {
    const { findings, decisions } = await verifyAll(installation);
    expect(findings).toEqual([]);
    expect(decisions).toBeGreaterThan(8);
  }, 60_000);
});
