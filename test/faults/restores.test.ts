import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import { copyOfEtcd } from '../support/copy-of-etcd.ts';
import { eventually } from '../support/eventually.ts';
import { heldCommands, whileAway } from '../support/while-away.ts';
import { install, type Installation } from '../support/installation.ts';
import { rememberLiveTopic } from '../support/live-topic.ts';
import { verifyAll } from '../support/verify.ts';

let installation: Installation;
const { held, release } = heldCommands(mkdtempSync(join(tmpdir(), 'jobledger-restores-')));

beforeAll(async () => {
  installation = await install({ ownServers: true });
  await installation.startServices();
}, 120_000);

afterAll(() => installation?.stop(), 30_000);

describe('an ingester that is killed before its last writes to the live topic, and is started again,', () => {
  it.each([
    ['cannot replay the watch', 'later', undefined],
    ['had not finished its first list', 'first', 'position'],
  ] as const)(
    'records the deletions of a pod and of a Job that happened in between, although it %s',
    async (_case, when, without) => {
      const { cluster, sql, environment } = installation;
      const [robbed, vanishing] = [`robbed-${when}`, `vanishing-${when}`];
      const putBack = await rememberLiveTopic(environment, without);
      await cluster.createJob(robbed, {}, held(robbed));
      const { metadata } = await cluster.createJob(vanishing, {}, { command: ['sleep', '300'] });
      for (const name of [robbed, vanishing])
        await cluster.jobWhere(name, 'has a ready pod', ({ status }) => status?.ready === 1);
      const [pod] = await cluster.listPods(robbed);
      await whileAway(installation, async () => {
        await putBack();
        await cluster.patchPod(pod?.metadata.name ?? '', { metadata: { finalizers: null } });
        await cluster.deletePod(pod?.metadata.name ?? '', 0);
        await cluster.deleteJob(vanishing, 'Background');
      });
      release(robbed);
      // The end of the pod was not observed, so the pod is replaced and not counted.
      const job = await cluster.finished(robbed, 60);
      expect(job.status).toMatchObject({ succeeded: 1 });
      expect((await cluster.listPods(robbed)).map(({ metadata: { uid } }) => uid)).not.toContain(
        pod?.metadata.uid,
      );
      await eventually('the pods of the deleted Job are gone', 30, async () =>
        (await cluster.listPods(vanishing)).length === 0 ? true : undefined,
      );
      const types = await eventually('the deletions are in SQL', 20, async () => {
        const found = await sql<{ type: string }>(
          "select type from jobledger.events where job_uid = $1 and type like '%.deleted' order by type",
          [metadata.uid],
        );
        return found.length >= 2 ? found.map(({ type }) => type) : undefined;
      });
      expect(types).toEqual(['job.deleted', 'pod.deleted']);
    },
    120_000,
  );
});

describe('an API server that is restored from an older copy', () => {
  it('is detected when its versions have passed all observed versions, and a Job continues as the copy has it', async () => {
    const { cluster, sql } = installation;
    const { uid } = (await cluster.createJob('without-pods', { parallelism: 0, completions: 2 }, {}))
      .metadata;
    await eventually('the Job is in SQL', 60, async () => {
      const found = await sql('select from jobledger.jobs where uid = $1', [uid]);
      return found.length > 0 ? true : undefined;
    });
    const restore = copyOfEtcd(installation);
    await cluster.patchJob('without-pods', { spec: { parallelism: 2 } });
    await cluster.finished('without-pods', 60);
    await cluster.createJob('after-young-copy', { parallelism: 1 }, { command: ['sleep', '300'] });
    await cluster.jobWhere('after-young-copy', 'has a ready pod', ({ status }) => status?.ready === 1);
    await restore({ writes: 150 });
    await eventually('the first epoch is in SQL', 60, async () => {
      const found = await sql("select from jobledger.gaps where reason like '%: epoch 1 begins at%'");
      return found.length > 0 ? true : undefined;
    });
    await cluster.jobWhere('without-pods', 'is as in the copy', ({ spec }) => spec.parallelism === 0);
    expect((await cluster.finished('without-pods', 60)).status).toMatchObject({ succeeded: 2 });
  }, 240_000);

  it('is detected when it has lost only the deletion of a Job, which then ends as any other Job', async () => {
    const { cluster, sql } = installation;
    const name = 'deleted-after-copy';
    const { uid } = (await cluster.createJob(name, { parallelism: 1 }, { command: ['sleep', '300'] }))
      .metadata;
    await cluster.jobWhere(name, 'has a ready pod', ({ status }) => status?.ready === 1);
    const restore = copyOfEtcd(installation);
    await cluster.deleteJob(name, 'Foreground');
    await eventually('the deletion is in SQL', 60, async () => {
      const found = await sql('select from jobledger.jobs where uid = $1 and deleted_at is not null', [uid]);
      return found.length > 0 ? true : undefined;
    });
    await restore({ writes: 150 });
    await eventually('the second epoch is in SQL', 60, async () => {
      const found = await sql("select from jobledger.gaps where reason like '%: epoch 2 begins at%'");
      return found.length > 0 ? true : undefined;
    });
    await cluster.patchJob(name, { spec: { activeDeadlineSeconds: 1 } });
    const ended = await cluster.finished(name, 60);
    expect(trueCondition(ended.status ?? {}, 'Failed')?.reason).toBe('DeadlineExceeded');
  }, 240_000);
});

describe('the ledger of a cluster that was restored twice', () => {
  it('has only decisions that are the same when they are made again', async () => {
    expect((await verifyAll(installation)).findings).toEqual([]);
  }, 60_000);
});
