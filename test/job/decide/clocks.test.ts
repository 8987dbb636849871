import { describe, expect, it } from '@jest/globals';
import { compact, jobFacts } from '../../../workflows/job/observe/compact.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { activeDeadline } from '../../../workflows/job/decide/policies/deadline.ts';
import { isoTime, LAST_INSTANT } from '../../../workflows/ledger/instants.ts';
import { aJob, at, JOB_UID, jobObject, podObject } from '../../support/builders.ts';
import { given } from '../../support/given.ts';
import {
  createModelCluster,
  deliverAll,
  refuseChanges,
  settleDown,
  runWorkflowTask,
} from '../../support/model-cluster.ts';

const one = { parallelism: 1, completions: 1 };

/** How many creations the API server refuses within a minute when the worker's clock differs by `skewSeconds`. */
async function refusedInAMinute(skewSeconds: number): Promise<number> {
  const cluster = createModelCluster(one, () => 'Succeeded');
  const { api } = cluster;
  api.workerSkew = skewSeconds * 1000;
  deliverAll(cluster);
  refuseChanges(cluster, ['create']);
  const refusal = api.trouble;
  const refused: string[] = [];
  api.trouble = (request) => {
    if (request.verb === 'create') refused.push(request.name);
    return refusal(request);
  };
  const end = api.now + 60_000;
  while (api.now < end) {
    await runWorkflowTask(cluster);
    api.now = Math.max(api.now + 100, cluster.workflow.nextDecisionAt ?? end);
  }
  return refused.length;
}

describe('a worker whose clock differs from the clock of the decisions', () => {
  it.each([-61, 0, 61])(
    'repeats a refused command after 1, 2, 4 … seconds by the clock of the decisions: a difference of %i seconds (J-3.2)',
    async (skew) => {
      expect(await refusedInAMinute(skew)).toBe(6);
    },
  );

  it.each([-61, 61])(
    'looks up an unobserved creation after a minute by the clock of the decisions: a difference of %i seconds (J-3.21)',
    async (skew) => {
      const cluster = createModelCluster(one, () => 'Succeeded');
      cluster.api.workerSkew = skew * 1000;
      deliverAll(cluster);
      await runWorkflowTask(cluster);
      const decided = cluster.workflow.state.last?.now ?? 0;
      expect(cluster.workflow.nextDecisionAt).toBe(Math.floor(decided / 1000) * 1000 + 60_000);
    },
  );
});

describe('an instant that RFC 3339 cannot express', () => {
  const never = { ...one, activeDeadlineSeconds: 1e12, status: { startTime: at(0) } };

  it('is not a deadline, and no workflow waits for it (J-6.5)', () => {
    const { job } = given(aJob(never)).when(null).state;
    expect(job === null ? 0 : activeDeadline({ job, activeSince: at(0) })).toBeNull();
    given(aJob(never)).when(null).thenCommands('+1', 'status').thenLookAgain(null);
  });

  it.each([9_007_199_254_740_993n, 9_223_372_036_854_775_807n])(
    'is not a deadline, also when the deadline is %s seconds',
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

  it('is accepted as the end of a pod whose grace period exceeds the range of numbers', () => {
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
    // J-5.41 (c), rounded to the range of numbers.
    const asked = Date.parse(at(30)) - 2 ** 53 * 1000;
    expect(compact(event)).toMatchObject({ pod: { finishedAt: asked } });
  });

  it('is printed as the last instant that RFC 3339 can express', () => {
    expect(isoTime(LAST_INSTANT + 1)).toBe('9999-12-31T23:59:59.999Z');
    expect(isoTime(1e300)).toBe('9999-12-31T23:59:59.999Z');
  });
});
