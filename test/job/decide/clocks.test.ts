import { describe, expect, it } from '@jest/globals';
import { allCores, coreOf, CURRENT, type Core } from '../../../workflows/cores/cores.ts';
import { jobFacts } from '../../../workflows/job/observe/compact.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { deadlineOf } from '../../../workflows/job/decide/policies/deadline.ts';
import { isoTime, LAST_INSTANT } from '../../../workflows/job/definitions/instants.ts';
import { aJob, at, JOB_UID, jobObject, podObject } from '../../support/builders.ts';
import { given } from '../../support/given.ts';
import { createModelCluster, deliverAll, refuse, settleDown, work } from '../../support/model-cluster.ts';

const one = { parallelism: 1, completions: 1 };

/** How many creations the API server refuses within a minute, by a worker whose clock differs so much. */
async function refusedInAMinute(core: Core, skewSeconds: number): Promise<number> {
  const cluster = createModelCluster(one, () => 'Succeeded', undefined, core);
  const { api } = cluster;
  api.workerSkew = skewSeconds * 1000;
  deliverAll(cluster);
  refuse(cluster, ['create']);
  const refusal = api.trouble;
  const refused: string[] = [];
  api.trouble = (request) => {
    if (request.verb === 'create') refused.push(request.name);
    return refusal(request);
  };
  const end = api.now + 60_000;
  while (api.now < end) {
    await work(cluster);
    api.now = Math.max(api.now + 100, cluster.workflow.lookAgainAt ?? end);
  }
  return refused.length;
}

describe('a worker whose clock is not that of the decisions', () => {
  it.each([-61, 0, 61])(
    'by %i seconds: a refusal is asked again after 1, 2, 4 … seconds all the same (J-3.2)',
    async (skew) => {
      expect(await refusedInAMinute(CURRENT, skew)).toBe(6);
    },
  );

  it('was asked again at once, and without end, by core 1', async () => {
    await expect(refusedInAMinute(coreOf('1') ?? CURRENT, -61)).rejects.toThrow(
      'no rest: 60 decisions at one instant',
    );
  });

  it.each([-61, 61])(
    'by %i seconds: a creation that nobody observes is looked up a minute after it (J-3.21)',
    async (skew) => {
      const cluster = createModelCluster(one, () => 'Succeeded');
      cluster.api.workerSkew = skew * 1000;
      deliverAll(cluster);
      await work(cluster);
      const decided = cluster.workflow.state.last?.now ?? 0;
      expect(cluster.workflow.lookAgainAt).toBe(Math.floor(decided / 1000) * 1000 + 60_000);
    },
  );
});

describe('an instant that RFC 3339 cannot say', () => {
  const never = { ...one, activeDeadlineSeconds: 1e12, status: { startTime: at(0) } };

  it('is no deadline: nothing is waited for that never comes (J-6.5)', () => {
    const { job } = given(aJob(never)).when(null).state;
    expect(job === null ? 0 : deadlineOf({ job, activeSince: at(0) })).toBeNull();
    given(aJob(never)).when(null).thenCommands('+1', 'status').thenLookAgain(null);
  });

  it.each([9_007_199_254_740_993n, 9_223_372_036_854_775_807n])(
    'nor is that of %s seconds',
    async (seconds) => {
      const job = jobFacts(jobObject({ ...one, activeDeadlineSeconds: seconds as unknown as number }));
      expect(job.spec.activeDeadlineSeconds).toBe(Number(seconds));
      const cluster = createModelCluster(
        { ...one, activeDeadlineSeconds: Number(seconds) },
        () => 'Succeeded',
      );
      await settleDown(cluster);
      expect(cluster.api.job?.status?.succeeded).toBe(1);
    },
  );

  it('nor stops a pod whose grace period is longer than a number can hold', () => {
    const pod = podObject({ deleted: 0 });
    const deletionGracePeriodSeconds = 9_007_199_254_740_993n as unknown as number;
    const event = {
      type: 'pod.observed',
      id: 'id',
      digest: 'digest',
      data: {
        cluster: 'east',
        jobUid: JOB_UID,
        object: { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds } },
      },
    } as unknown as JobEvent;
    const finished = allCores().map(({ compact }) => {
      const fact = compact(event);
      return fact?.type === 'pod.observed' ? fact.pod.finishedAt : undefined;
    });
    // J-5.41 (c), rounded to what a number can hold.
    const asked = Date.parse(at(30)) - 2 ** 53 * 1000;
    expect(finished).toEqual(allCores().map(() => asked));
    expect(finished.length).toBeGreaterThan(1);
  });

  it('is put in words as the last one that it can say', () => {
    expect(isoTime(LAST_INSTANT + 1)).toBe('9999-12-31T23:59:59.999Z');
    expect(isoTime(1e300)).toBe('9999-12-31T23:59:59.999Z');
  });
});
