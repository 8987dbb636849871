import { describe, expect, it } from '@jest/globals';
import type { Job, JobSpec } from '../../workflows/kubernetes/objects.ts';
import { jobManifest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { onPlayedCluster, SEPARATE } from '../support/played-cluster.ts';
import type { PlayedJob } from '../support/played-job.ts';
import { playKubelet } from '../support/played-kubelet.ts';
import { jobledger, rebuildTables } from '../support/rebuild.ts';
import { sideBySide } from '../support/side-by-side.ts';

const { cluster, installation, play } = onPlayedCluster({}, SEPARATE);
const story = sideBySide();

/** Creates a Job that waits for others. */
function chained(name: string, after: string, spec: Partial<JobSpec> = { suspend: true }): Promise<Job> {
  const manifest = jobManifest(name, spec, {}) as { metadata: object };
  const metadata = { ...manifest.metadata, annotations: { 'jobledger.dev/after': after } };
  return cluster().client.request<Job>({
    method: 'POST',
    path: '/apis/batch/v1/namespaces/default/jobs',
    body: { ...manifest, metadata },
  });
}

function resumed(name: string): Promise<Job> {
  return cluster().jobWhere(name, 'is resumed', ({ spec }) => spec.suspend === false, 60);
}

async function isSuspended(name: string): Promise<boolean> {
  return (await cluster().job(name))?.spec.suspend === true;
}

async function end(job: PlayedJob, how: 'succeed' | 'fail'): Promise<void> {
  const [pod] = await job.some(1);
  await job[how](pod ?? 0);
  await cluster().finished(job.name);
}

/** Ends the Job that was created by `chained` and resumed. */
async function endJob(name: string): Promise<void> {
  const pod = await eventually(`${name} has a pod`, 30, async () => (await cluster().listPods(name))[0]);
  await playKubelet(cluster().client, cluster().namespace).succeed(pod.metadata.name);
  await cluster().finished(name);
}

function eventMessage(job: Job, reason: string): Promise<string> {
  return eventually(`${job.metadata.name} has the Event ${reason}`, 60, async () =>
    (await cluster().eventsOn(job)).find((each) => each.startsWith(`${reason}: `)),
  );
}

interface ChainRow {
  awaited_name: string;
  condition: string;
  met: boolean;
  condition_status: string;
  cycle: string | null;
  status: string;
}

function waitForRows(name: string, holds: (rows: ChainRow[]) => boolean): Promise<ChainRow[]> {
  return eventually(`the chain of ${name} is in SQL`, 30, async () => {
    const rows = await installation().sql<ChainRow>(
      `select awaited_name, condition, met, condition_status, cycle, status from jobledger.job_chains
        where job_name = $1 order by position`,
      [name],
    );
    return rows.length > 0 && holds(rows) ? rows : undefined;
  });
}

describe('with a real API server (J-12.6),', () => {
  story(
    'each Job of a chain of three is resumed when its predecessors have ended as its annotation asks',
    async () => {
      await chained('load', 'transform, check=Finished');
      await chained('transform', 'extract=Succeeded');
      const [extract, check] = [await play('extract', {}), await play('check', { backoffLimit: 0 })];
      await end(check, 'fail');
      expect(await isSuspended('transform')).toBe(true);
      await end(extract, 'succeed');
      await resumed('transform');
      expect(await isSuspended('load')).toBe(true);
      await endJob('transform');
      await resumed('load');
      expect(await waitForRows('load', ([first]) => first?.status === 'resumed')).toEqual([
        {
          awaited_name: 'transform',
          condition: 'Succeeded',
          met: true,
          condition_status: 'met',
          cycle: null,
          status: 'resumed',
        },
        {
          awaited_name: 'check',
          condition: 'Finished',
          met: true,
          condition_status: 'met',
          cycle: null,
          status: 'resumed',
        },
      ]);
      await endJob('load');
      const why = await jobledger(installation().environment, 'why', 'job/load');
      expect(why.stdout).toContain('suspended until Job transform succeeds; Job check finishes');
      const history = await jobledger(installation().environment, 'history', 'load');
      expect(history.stdout).toMatch(/job check +waited for, failed at .* \(BackoffLimitExceeded\)/);
      expect(history.stdout).toContain('→ SetSuspend suspend=false: Job transform succeeded at ');
      const shown = await jobledger(installation().environment, 'describe', 'load');
      expect(shown.stdout).toMatch(/transform +Succeeded +met/);
    },
  );

  story('a failed Job keeps the next Job suspended, until a new Job of the same name succeeds', async () => {
    const next = await chained('after-failing', 'failing');
    const failing = await play('failing', { backoffLimit: 0 });
    await end(failing, 'fail');
    expect(await eventMessage(next, 'AwaitedJobEndedOtherwise')).toContain(
      'Job failing succeeds, which failed at',
    );
    await waitForRows('after-failing', ([first]) => first?.condition_status === 'unmeetable');
    expect(await isSuspended('after-failing')).toBe(true);
    await cluster().deleteJob('failing', 'Background');
    await eventually('it is gone', 30, async () =>
      (await cluster().job('failing')) === undefined ? true : undefined,
    );
    await end(await play('failing', {}), 'succeed');
    await resumed('after-failing');
  });

  story('a missing Job is reported once, and the chain waits for it', async () => {
    const next = await chained('after-missing', 'missing=Finished');
    expect(await eventMessage(next, 'AwaitedJobMissing')).toContain(
      'Job missing finishes, which does not exist',
    );
    await waitForRows('after-missing', ([first]) => first?.condition_status === 'missing');
    await end(await play('missing', {}), 'succeed');
    await resumed('after-missing');
    const events = await cluster().eventsOn(next);
    expect(events.filter((each) => each.startsWith('AwaitedJobMissing'))).toHaveLength(1);
  });

  story('a cycle is refused by name, and a Job that a person resumes breaks the cycle', async () => {
    const a = await chained('cycle-a', 'cycle-b');
    const b = await chained('cycle-b', 'cycle-c');
    const c = await chained('cycle-c', 'cycle-a');
    expect(await eventMessage(a, 'ChainCycle')).toContain('cycle-a → cycle-b → cycle-c → cycle-a');
    expect(await eventMessage(b, 'ChainCycle')).toContain('cycle-b → cycle-c → cycle-a → cycle-b');
    await eventMessage(c, 'ChainCycle');
    await waitForRows('cycle-a', ([first]) => first?.cycle === 'cycle-a → cycle-b → cycle-c → cycle-a');
    await cluster().patchJob('cycle-b', { spec: { suspend: false } });
    await endJob('cycle-b');
    await resumed('cycle-a');
    expect(await isSuspended('cycle-c')).toBe(true);
    await endJob('cycle-a');
    await resumed('cycle-c');
    // The Job waits for no other Job any more, so a later suspension comes from a user.
    await cluster().patchJob('cycle-c', { spec: { suspend: true } });
    await cluster().jobWhere('cycle-c', 'is shown as suspended again', ({ status }) =>
      (status?.conditions ?? []).some((each) => each.type === 'Suspended' && each.status === 'True'),
    );
    expect(await isSuspended('cycle-c')).toBe(true);
  });

  story(
    'a Job that was deleted after its end counts as ended, but not a Job that was deleted before',
    async () => {
      const next = await chained('after-deleted', 'done, undone');
      const [done, undone] = [await play('done', {}), await play('undone', {})];
      await end(done, 'succeed');
      await cluster().deleteJob('done', 'Background');
      await undone.some(1);
      await cluster().deleteJob('undone', 'Background');
      expect(await eventMessage(next, 'AwaitedJobMissing')).toContain(
        'undone succeeds, which was deleted before it ended',
      );
      expect(
        await waitForRows('after-deleted', ([, second]) => second?.condition_status === 'deleted'),
      ).toMatchObject([
        { awaited_name: 'done', met: true },
        { awaited_name: 'undone', met: false },
      ]);
      await end(await play('undone', {}), 'succeed');
      await resumed('after-deleted');
    },
  );

  story('a Job that was not created suspended has no chain, and an Event reports this', async () => {
    const job = await chained('unsuspended', 'whatever', {});
    expect(await eventMessage(job, 'InvalidAnnotation')).toContain('not created with spec.suspend: true');
    await endJob('unsuspended');
  });

  it('a waiting Job of a chain is resumed although the awaited Job ended while no ingester ran', async () => {
    await chained('after-restart', 'before-restart');
    const before = await play('before-restart', {});
    const [pod] = await before.some(1);
    await waitForRows('after-restart', ([first]) => first?.condition_status === 'waiting');
    await installation().haltServices(['ingester']);
    await before.succeed(pod ?? 0);
    await chained('late', 'before-restart');
    await installation().startServices(['ingester']);
    await resumed('after-restart');
    await resumed('late');
    await installation().kill('ingester');
    await endJob('late');
    await chained('latest', 'late');
    await resumed('latest');
    expect(await waitForRows('latest', ([first]) => first?.status === 'resumed')).toMatchObject([
      { awaited_name: 'late', condition_status: 'met' },
    ]);
  }, 120_000);

  it('the live tables of chains equal rebuilt tables', async () => {
    const rebuilt = await rebuildTables(installation().environment, '--check');
    expect(rebuilt.tables.filter(({ differences }) => differences > 0)).toEqual([]);
    expect(rebuilt.tables.find(({ table }) => table === 'chains')?.rows).not.toBe('0');
  }, 60_000);
});
