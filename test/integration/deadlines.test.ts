import { describe, expect, it } from '@jest/globals';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import { eventually } from '../support/eventually.ts';
import { onPlayedCluster, SEPARATE } from '../support/played-cluster.ts';
import { conditionsIn, type PlayedJob } from '../support/played-job.ts';
import { passedStatus } from '../support/passed-status.ts';
import { sideBySide } from '../support/side-by-side.ts';

// The delay is longer than any deadline here, so that only the deadline can end the wait.
const { cluster, installation, play } = onPlayedCluster(
  { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '60000' },
  SEPARATE,
);
const story = sideBySide();

const EXCEEDED = 'DeadlineExceeded: Job was active longer than specified deadline';
const FAILED = [`FailureTarget=True ${EXCEEDED}`, `Failed=True ${EXCEEDED}`];

/** The deadline is long enough for the pods to be created before it, also on a busy machine. */
const DEADLINE_SECONDS = 10;

/** A Job may fail this late. The time is shorter than that of any other reason to end, and long enough for a busy machine. */
const SLACK_SECONDS = 15;

/** Expects that the Job failed after this number of seconds: never before, and hardly later. */
async function expectLife(job: PlayedJob, seconds: number): Promise<void> {
  const { status = {} } = await job.now();
  const ended = trueCondition(status, 'FailureTarget')?.lastTransitionTime ?? '';
  const life = (Date.parse(ended) - Date.parse(status.startTime ?? '')) / 1000;
  expect(life).toBeGreaterThanOrEqual(seconds);
  expect(life).toBeLessThanOrEqual(seconds + SLACK_SECONDS);
}

describe('a Job with a deadline', () => {
  story(
    'fails when it has been active until its deadline, and its pods are deleted and counted (J-6.5)',
    async () => {
      const two = { parallelism: 2, completions: 2 };
      const job = await play('late', { activeDeadlineSeconds: DEADLINE_SECONDS, ...two });
      await passedStatus(installation(), job, { active: 2 });
      await job.shows({ failed: 2 });
      expect(await job.conditions()).toEqual(FAILED);
      const between = await passedStatus(installation(), job, { terminating: 2, failed: 2 });
      expect(conditionsIn(between)).toEqual(FAILED.slice(0, 1));
      await expectLife(job, DEADLINE_SECONDS);
      await eventually('the Event', 10, async () =>
        (await cluster().eventsOn(job.created)).includes(EXCEEDED) ? true : undefined,
      );
    },
  );

  story('fails on time during a back-off (J-6.5)', async () => {
    const job = await play('between', { activeDeadlineSeconds: DEADLINE_SECONDS });
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.fail(pod);
    await job.shows({ failed: 1 });
    await eventually('it has failed', 20, async () =>
      (await job.conditions()).length === 2 ? true : undefined,
    );
    expect(await job.conditions()).toEqual(FAILED);
    await expectLife(job, DEADLINE_SECONDS);
    expect(await cluster().listPods('between')).toHaveLength(1);
  });

  story('of zero seconds fails at once, and never has a pod (J-1.12)', async () => {
    const job = await play('never', { activeDeadlineSeconds: 0 });
    await eventually('it has failed', 20, async () =>
      (await job.conditions()).length === 2 ? true : undefined,
    );
    expect(await job.conditions()).toEqual(FAILED);
    expect(await cluster().listPods('never')).toEqual([]);
  });

  story('also obeys a deadline that is added or shortened while it runs (J-3.14)', async () => {
    const job = await play('shortened', { activeDeadlineSeconds: 600 });
    await job.shows({ active: 1 });
    await cluster().patchJob('shortened', { spec: { activeDeadlineSeconds: 5 } });
    const other = await play('given-late', {});
    await other.shows({ active: 1 });
    await cluster().patchJob('given-late', { spec: { activeDeadlineSeconds: 5 } });
    for (const each of [job, other]) {
      await each.shows({ failed: 1 });
      await expectLife(each, 5);
    }
  });
});

describe('a Job that exceeds its deadline and its back-off limit before the next decision', () => {
  it('fails because of its back-off limit (J-3.54)', async () => {
    const job = await play('both', { activeDeadlineSeconds: 5, backoffLimit: 0 });
    const [pod] = await job.some(1);
    await job.shows({ active: 1 });
    const { startTime = '' } = (await job.now()).status ?? {};
    await installation().haltServices(['worker']);
    if (pod !== undefined) await job.fail(pod);
    await eventually('the deadline is past', 10, async () =>
      Date.now() > Date.parse(startTime) + 6000 ? true : undefined,
    );
    await installation().startServices(['worker']);
    await job.shows({ failed: 1 });
    expect((await job.conditions())[0]).toMatch(/^FailureTarget=True BackoffLimitExceeded/);
  });
});
