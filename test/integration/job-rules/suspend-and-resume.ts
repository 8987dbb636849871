import { describe, expect, it } from '@jest/globals';
import { trueCondition } from '../../../workflows/batch/conditions.ts';
import { eventually } from '../../support/eventually.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import type { PlayedJob } from '../../support/played-job.ts';
import { passedStatus } from '../../support/passed-status.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { cluster, installation, play } = onOwnPlayedCluster();
const story = sideBySide();

const suspend = (job: PlayedJob, is: boolean, template = {}): Promise<unknown> =>
  cluster().patchJob(job.name, { spec: { suspend: is, template } });

const untilSuspended = (job: PlayedJob): Promise<unknown> =>
  cluster().jobWhere(
    job.name,
    'is suspended',
    ({ status }) => trueCondition(status ?? {}, 'Suspended') !== undefined,
  );

async function hasEvents(job: PlayedJob, events: string[]): Promise<void> {
  const others = /^(SuccessfulCreate|SuccessfulDelete):/;
  await eventually(`the Events ${events.join(', ')}`, 10, async () => {
    const found = (await cluster().eventsOn(job.created)).filter((each) => !others.test(each));
    return JSON.stringify(found) === JSON.stringify(events) ? true : undefined;
  });
}

describe('a Job that is created suspended', () => {
  story('has no pods and no start time, and says so (J-6.40, J-1.26)', async () => {
    const job = await play('waiting', { suspend: true, parallelism: 2, completions: 4 });
    await untilSuspended(job);
    const { conditions, ...status } = (await job.now()).status ?? {};
    expect(status).toEqual({ ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(conditions).toHaveLength(1);
    expect(await job.conditions()).toEqual(['Suspended=True JobSuspended: Job suspended']);
    expect(await cluster().listPods('waiting')).toEqual([]);
    await hasEvents(job, ['Suspended: Job suspended']);
    await suspend(job, false);
    await job.shows({ active: 2 });
    expect(await job.conditions()).toEqual(['Suspended=False JobResumed: Job resumed']);
    expect((await job.now()).status?.startTime).toBeDefined();
    await hasEvents(job, ['Suspended: Job suspended', 'Resumed: Job resumed']);
  });

  story('resumes with the directives and resources set meanwhile (J-1.20)', async () => {
    const job = await play('directed', { suspend: true });
    await untilSuspended(job);
    const requests = { cpu: '250m' };
    const directives = {
      nodeSelector: { zone: 'b' },
      tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'batch', effect: 'NoSchedule' }],
      schedulingGates: [{ name: 'example.com/gate' }],
    };
    const main = {
      ...((await job.now()).spec.template?.spec.containers[0] ?? { name: 'main' }),
      resources: { requests },
    };
    await suspend(job, false, {
      metadata: { labels: { given: 'late' }, annotations: { also: 'late' } },
      spec: { ...directives, containers: [main] },
    });
    const [pod] = await job.some(1);
    const { tolerations, ...spec }: Record<string, unknown> = { ...pod?.spec };
    expect(spec).toMatchObject({
      nodeSelector: directives.nodeSelector,
      schedulingGates: directives.schedulingGates,
      containers: [{ resources: { requests } }],
    });
    expect(tolerations).toEqual(expect.arrayContaining(directives.tolerations));
    expect(pod?.metadata.labels).toMatchObject({ given: 'late' });
    expect(pod?.metadata.annotations).toMatchObject({ also: 'late' });
  });

  story('with zero completions is complete at once, without a start time (J-6.44)', async () => {
    const job = await play('wants-nothing', { suspend: true, completions: 0 });
    await eventually('it is complete', 20, async () =>
      (await job.conditions()).length === 2 ? true : undefined,
    );
    const reached = 'CompletionsReached: Reached expected number of succeeded pods';
    expect(await job.conditions()).toEqual([
      `SuccessCriteriaMet=True ${reached}`,
      `Complete=True ${reached}`,
    ]);
    const { startTime, completionTime } = (await job.now()).status ?? {};
    expect(startTime).toBeUndefined();
    expect(completionTime).toBeDefined();
  });
});

describe('a Job that is suspended while it runs', () => {
  story(
    'loses its pods uncounted and its start time, and continues with new ones (J-6.41, J-6.42)',
    async () => {
      const job = await play('pausing', { parallelism: 2, completions: 4 });
      const pods = await job.some(2);
      const [first] = pods;
      if (first !== undefined) await job.succeed(first);
      await job.shows({ active: 2, succeeded: 1 });
      await suspend(job, true);
      await job.shows({ succeeded: 1 });
      await passedStatus(installation(), job, { terminating: 2, succeeded: 1 });
      expect(await job.conditions()).toEqual(['Suspended=True JobSuspended: Job suspended']);
      expect((await job.now()).status?.startTime).toBeUndefined();
      await suspend(job, false, { spec: { nodeSelector: { zone: 'c' } } });
      await job.shows({ active: 2, succeeded: 1 });
      const [next] = await job.some(2);
      expect(next?.spec).toMatchObject({ nodeSelector: { zone: 'c' } });
      await hasEvents(job, ['Suspended: Job suspended', 'Resumed: Job resumed']);
      for (const succeeded of [2, 3]) {
        const [pod] = await job.some(1);
        if (pod !== undefined) await job.succeed(pod);
        await job.shows({ active: Math.min(2, 4 - succeeded), succeeded });
      }
    },
  );

  story('keeps its counters, and later ends of its pods on a node do not count (J-6.45, B-15)', async () => {
    const job = await play('kept', { parallelism: 1, completions: 2 });
    const [failing] = await job.some(1);
    if (failing !== undefined) await job.fail(failing);
    await job.shows({ active: 1, failed: 1 });
    const [running] = await job.some(1);
    const name = running?.metadata.name ?? '';
    await job.kubelet.bind(name);
    await job.kubelet.ready(name);
    await job.shows({ active: 1, ready: 1, failed: 1 });
    await suspend(job, true);
    await job.shows({ terminating: 1, failed: 1 });
    await job.kubelet.succeed(name);
    await job.shows({ failed: 1 });
    await suspend(job, false);
    await job.shows({ active: 1, failed: 1 });
  });

  story('has its deadline counted from when it runs again (J-6.5)', async () => {
    const job = await play('timed', { activeDeadlineSeconds: 4 });
    await job.shows({ active: 1 });
    await suspend(job, true);
    await untilSuspended(job);
    const { startTime: none } = (await job.now()).status ?? {};
    expect(none).toBeUndefined();
    await suspend(job, false);
    await job.shows({ active: 1 });
    const { startTime } = (await job.now()).status ?? {};
    await job.shows({ failed: 1 });
    const target = trueCondition((await job.now()).status ?? {}, 'FailureTarget');
    expect(target?.reason).toBe('DeadlineExceeded');
    expect(Date.parse(target?.lastTransitionTime ?? '') - Date.parse(startTime ?? '')).toBe(4000);
  });

  story('is not failed by a deadline that passes meanwhile (J-6.43)', async () => {
    const job = await play('untimed', { activeDeadlineSeconds: 1, suspend: true });
    await untilSuspended(job);
    const other = await play('untimed-other', { activeDeadlineSeconds: 3 });
    await other.shows({ failed: 1 });
    expect(await job.conditions()).toEqual(['Suspended=True JobSuspended: Job suspended']);
  });
});

describe('a Job whose pods end as it is suspended', () => {
  it('is still complete, with a start time that the API server accepts (J-6.43, B-10)', async () => {
    const job = await play('ending', { parallelism: 2, completions: 2 });
    await job.shows({ active: 2 });
    await installation().haltServices(['worker']);
    const pods = await job.some(2);
    await Promise.all(pods.map((pod) => job.succeed(pod)));
    // Recorded before the suspension, so that the same decision counts them; later ones may be deleted uncounted (J-6.41).
    await eventually('both ends are recorded', 30, async () => {
      const ended = await installation().sql(
        "select 1 from jobledger.pods where job_name = 'ending' and phase = 'Succeeded'",
      );
      return ended.length === 2 ? true : undefined;
    });
    await suspend(job, true);
    await installation().startServices(['worker']);
    await cluster().finished('ending');
    await job.shows({ succeeded: 2 });
    expect((await job.conditions()).at(-1)).toMatch(/^Complete=True/);
    expect((await job.now()).status?.startTime).toBeDefined();
  });
});
