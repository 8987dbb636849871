import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { failingFirst } from '../support/cluster.ts';
import { copyOfEtcd } from '../support/copy-of-etcd.ts';
import { eventually } from '../support/eventually.ts';
import { heldCommands, whileAway } from '../support/while-away.ts';
import { install, type Installation } from '../support/installation.ts';
import { ledgerEvents } from '../support/ledger-events.ts';
import { tamperedCopy, type RawEvent } from '../support/tampered-copy.ts';
import { verifyAll } from '../support/verify.ts';

let installation: Installation;
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-losses-'));
const { held, release } = heldCommands(scratch);

beforeAll(async () => {
  installation = await install({
    ownServers: true,
    environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '4000' },
  });
  await installation.startServices();
}, 120_000);

afterAll(() => installation?.stop(), 30_000);

describe('after changes that the API server forgot while no service ran,', () => {
  let vanishing: string;
  let robbedPod: string;

  beforeAll(async () => {
    const { cluster } = installation;
    const waits = { command: ['sleep', '300'] };
    vanishing = (await cluster.createJob('vanishing', { parallelism: 2 }, waits)).metadata.uid;
    await cluster.createJob('robbed', {}, held('robbed'));
    await cluster.createJob('quiet-end', {}, held('quiet-end'));
    await cluster.jobWhere('vanishing', 'has pods', ({ status }) => status?.ready === 2);
    for (const name of ['robbed', 'quiet-end'])
      await cluster.jobWhere(name, 'has a ready pod', ({ status }) => status?.ready === 1);
    robbedPod = (await cluster.listPods('robbed'))[0]?.metadata.name ?? '';
    await whileAway(installation, async () => {
      await cluster.deleteJob('vanishing', 'Background');
      await cluster.deletePod(robbedPod);
      release('quiet-end');
      await eventually('the pod ends', 20, async () =>
        (await cluster.listPods('quiet-end'))[0]?.status?.phase === 'Succeeded' ? true : undefined,
      );
    });
    release('robbed');
  }, 120_000);

  it('the pods of a deleted Job disappear, and the Job and its pods are marked as deleted in SQL', async () => {
    const { cluster, sql } = installation;
    await eventually('the pods are gone', 30, async () =>
      (await cluster.listPods('vanishing')).length === 0 ? true : undefined,
    );
    const rows = await eventually('the deletions are in SQL', 20, async () => {
      const found = await sql<{ deleted: boolean }>(
        'select deleted_at is not null as deleted from jobledger.pods where job_uid = $1',
        [vanishing],
      );
      return found.every(({ deleted }) => deleted) ? found : undefined;
    });
    expect(rows).toHaveLength(2);
    const [job] = await sql<{ seen: string }>(
      "select data->>'seen' as seen from jobledger.events where type = 'job.deleted' and job_uid = $1",
      [vanishing],
    );
    expect(job?.seen).toBe('false');
    const gaps = await sql('select 1 from jobledger.gaps where since <= until');
    expect(gaps.length).toBeGreaterThan(0);
  }, 90_000);

  it('a pod that another client deleted counts as failed and is replaced (J-4.19, J-5.37)', async () => {
    const { cluster } = installation;
    const job = await cluster.finished('robbed', 60);
    expect(job.status).toMatchObject({ succeeded: 1, failed: 1 });
    expect((await cluster.listPods('robbed')).map(({ metadata }) => metadata.name)).not.toContain(robbedPod);
  }, 120_000);

  it('a pod that succeeded is counted once', async () => {
    const { cluster } = installation;
    const job = await cluster.finished('quiet-end', 60);
    expect(job.status).toMatchObject({ succeeded: 1 });
    expect(job.status?.failed).toBeUndefined();
    expect(await cluster.listPods('quiet-end')).toHaveLength(1);
  }, 120_000);
});

describe('an API server that is down while a decision about a Job is carried out', () => {
  it('receives the commands after its restart, and the ledger has each decision and each outcome once', async () => {
    const { cluster, servers } = installation;
    const late = { activeDeadlineSeconds: 6 };
    const { metadata } = await cluster.createJob('cut-off', late, { command: ['sleep', '300'] });
    await cluster.jobWhere('cut-off', 'has a ready pod', ({ status }) => status?.ready === 1);
    await servers.halt('local-kube-apiserver');
    const decided = (id: string): boolean => id.includes(`${metadata.uid}/decision/`);
    const isOver = (at: number): boolean => at > Date.parse(metadata.creationTimestamp) + 6000;
    await eventually('the deadline is decided on', 30, async () =>
      (await readEvents('job.decided')).some(({ id, time }) => decided(id) && isOver(Date.parse(time)))
        ? true
        : undefined,
    );
    const attempts = await eventually('it was tried several times', 40, async () => {
      const tried = await failedAttempts();
      return tried >= 5 ? tried : undefined;
    });
    expect(attempts).toBeGreaterThanOrEqual(5);
    await servers.start('local-kube-apiserver');
    // After such a long outage, the scheduler waits up to a minute before it lists again; a new scheduler lists at once.
    await installation.kill('local-kube-scheduler');
    await installation.answers('local-kube-scheduler');
    const { status } = await cluster.finished('cut-off', 60);
    expect(trueCondition(status ?? {}, 'Failed')?.reason).toBe('DeadlineExceeded');
    for (const type of ['job.decided', 'outcome.recorded']) {
      const ids = (await readEvents(type)).map(({ id }) => id).filter(decided);
      expect(ids.length).toBeGreaterThan(1);
      expect(ids).toEqual([...new Set(ids)]);
    }

    /** Returns the number of attempts of the activity that is being retried. */
    async function failedAttempts(): Promise<number> {
      const temporal = await installation.temporal();
      const { raw } = await temporal.workflow.getHandle(workflowId('local', metadata.uid, 'Job')).describe();
      await temporal.connection.close();
      return Math.max(0, ...(raw.pendingActivities ?? []).map(({ attempt }) => attempt ?? 0));
    }
  }, 120_000);
});

/** Returns every record of a type, with repeats. */
async function readEvents(type: string): Promise<JobEvent[]> {
  return (await ledgerEvents(installation.environment)).filter((event) => event.type === type);
}

describe('after the loss of Temporal’s database while Jobs run,', () => {
  it('the Jobs continue from the ledger: they keep their pods, back-off and deadline (B-3)', async () => {
    const { cluster, servers, stateDir } = installation;
    await cluster.createJob(
      'recalled',
      {},
      { command: failingFirst(2, mkdtempSync(join(scratch, 'recalled-'))) },
    );
    await cluster.createJob('recalled-late', { activeDeadlineSeconds: 12 }, { command: ['sleep', '300'] });
    await cluster.jobWhere('recalled', 'waits after its first failure', ({ status }) => status?.failed === 1);
    await servers.halt('temporal');
    const files = readdirSync(stateDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /temporal.*\.(db|sqlite)/.test(name),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) rmSync(join(stateDir, file));
    await servers.start('temporal');
    const late = await cluster.finished('recalled-late', 60);
    const target = trueCondition(late.status ?? {}, 'FailureTarget');
    expect(target?.reason).toBe('DeadlineExceeded');
    expect(
      Date.parse(target?.lastTransitionTime ?? '') - Date.parse(late.status?.startTime ?? ''),
    ).toBeLessThanOrEqual(22_000);
    const job = await cluster.finished('recalled', 60);
    expect(job.status).toMatchObject({ succeeded: 1, failed: 2 });
    expect(await cluster.listPods('recalled')).toHaveLength(3);
    expect(await cluster.listPods('recalled-late').then((pods) => pods.length)).toBeLessThanOrEqual(1);
  }, 120_000);
});

describe('an API server that is restored from an older copy', () => {
  it('begins a new epoch: Jobs of the copy continue, later Jobs do not exist, and new Jobs run', async () => {
    const { cluster, sql } = installation;
    const waits = { command: ['sleep', '300'] };
    const before = await cluster.createJob('before-copy', { parallelism: 1 }, waits);
    await cluster.jobWhere('before-copy', 'has a ready pod', ({ status }) => status?.ready === 1);
    const restore = copyOfEtcd(installation);
    const after = await cluster.createJob('after-copy', {}, waits);
    await cluster.jobWhere('after-copy', 'has a ready pod', ({ status }) => status?.ready === 1);
    // With these changes, the versions of the new epoch stay below the observed versions.
    for (let each = 0; each < 300; each += 1)
      await cluster.patchJob('before-copy', { metadata: { annotations: { changed: String(each) } } });
    await restore();
    const [gap] = await eventually('the restore is in SQL', 60, async () => {
      const found = await sql<{ reason: string }>("select reason from jobledger.gaps where resource = 'all'");
      return found.length > 0 ? found : undefined;
    });
    expect(gap?.reason).toMatch(/^the API server was restored from an older copy: epoch 1 begins at/);
    await eventually('the Job that came after the copy is gone in SQL', 60, async () => {
      const [row] = await sql<{ gone: boolean }>(
        'select deleted_at is not null as gone from jobledger.jobs where uid = $1',
        [after.metadata.uid],
      );
      return row?.gone === true ? true : undefined;
    });
    const [seen] = await eventually('the Job of the copy is seen again', 60, async () => {
      const found = await sql<{ resource_version: string }>(
        'select resource_version from jobledger.jobs where uid = $1 and resource_version > 1e30',
        [before.metadata.uid],
      );
      return found.length > 0 ? found : undefined;
    });
    expect(seen?.resource_version).toMatch(/^1\d{30}$/);
    await cluster.createJob('new-epoch', { completions: 2, parallelism: 2 }, {});
    expect((await cluster.finished('new-epoch', 60)).status).toMatchObject({ succeeded: 2 });
    await cluster.patchJob('before-copy', { spec: { activeDeadlineSeconds: 1 } });
    const ended = await cluster.finished('before-copy', 60);
    expect(trueCondition(ended.status ?? {}, 'Failed')?.reason).toBe('DeadlineExceeded');
  }, 240_000);
});

describe('the verb verify', () => {
  it('needs neither Temporal nor Postgres, and finds no difference after all losses of this test', async () => {
    await installation.servers.halt('temporal');
    await installation.servers.halt('postgres');
    const { findings, decisions, exitCode } = await verifyAll(installation);
    expect(findings).toEqual([]);
    expect(exitCode).toBe(0);
    expect(decisions).toBeGreaterThan(10);
  }, 60_000);

  const changes: [string, (event: RawEvent) => RawEvent | undefined][] = [
    [
      'fact',
      ({ data, ...event }) =>
        event.type.includes('pod.observed')
          ? { ...event, data: { ...data, object: { ...(data['object'] as object), changed: true } } }
          : undefined,
    ],
    [
      'outcome',
      ({ data, ...event }) =>
        event.type.includes('outcome.recorded')
          ? { ...event, data: { ...data, outcome: { ...(data['outcome'] as object), at: 1 } } }
          : undefined,
    ],
    [
      'setting',
      ({ data, ...event }) =>
        event.type.includes('job.decided')
          ? {
              ...event,
              data: { ...data, settings: { ...(data['settings'] as object), podFailureBackoffMs: 1 } },
            }
          : undefined,
    ],
    [
      'instant',
      ({ data, ...event }) =>
        event.type.includes('job.decided')
          ? { ...event, data: { ...data, now: Number(data['now']) + 1000 } }
          : undefined,
    ],
  ];

  it.each(changes)(
    'names the record of a copied ledger in which one %s was changed',
    async (what, change) => {
      const topic = `copy-${what}`;
      const id = await tamperedCopy(installation.environment, topic, change);
      const { findings, exitCode } = await verifyAll(installation, topic);
      expect(exitCode).toBe(1);
      expect(JSON.stringify(findings)).toContain(id);
    },
    60_000,
  );
});
