import { describe, expect, it } from '@jest/globals';
import {
  createModelCluster,
  deliverAll,
  refuseChanges,
  settleDown,
  trackedPods,
  runWorkflowTask,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { aJob, aRunningPod, START } from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';
import { patchJobSpec, removeJob } from '../../support/model-cluster-api.ts';
import { stepPod } from '../../support/model-cluster-kubelet.ts';

const one = { parallelism: 1, completions: 1 };

function undelivered(): ModelCluster {
  const cluster = createModelCluster(one, () => 'Succeeded');
  deliverAll(cluster);
  return cluster;
}

/** Seconds until the workflow looks again. */
function waits({ workflow, api }: ModelCluster): number {
  return Math.round(((workflow.nextDecisionAt ?? Infinity) - api.now) / 1000);
}

async function ended(): Promise<ModelCluster> {
  const cluster = undelivered();
  await runWorkflowTask(cluster);
  const [name = ''] = cluster.api.pods.keys();
  for (let step = 0; step < 3; step += 1) stepPod(cluster.api, name, cluster.fate);
  deliverAll(cluster);
  return cluster;
}

describe('commands that the API refuses (J-3.2)', () => {
  it('are repeated after 1, 2, 4 … seconds, at most 60', async () => {
    const cluster = undelivered();
    refuseChanges(cluster, ['create']);
    const pauses: number[] = [];
    while (pauses.length < 8) {
      await runWorkflowTask(cluster);
      const pause = waits(cluster);
      cluster.api.now += pause * 1000;
      pauses.push(pause);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(cluster.workflow.state.waiting?.message).toContain('refused by a webhook');
  });

  it('wait only one second again after a success (J-3.3)', async () => {
    const cluster = undelivered();
    refuseChanges(cluster, ['create']);
    for (let error = 0; error < 3; error += 1) {
      await runWorkflowTask(cluster);
      cluster.api.now += waits(cluster) * 1000;
    }
    await settleDown(cluster);
    expect(cluster.workflow.state.retries).toEqual({});
  });

  it.each([{ verbs: ['create', 'patch'] }, { verbs: ['create', 'patch', 'put'] }, { verbs: ['put'] }])(
    'never make the workflow loop: $verbs',
    async ({ verbs }) => {
      const cluster = await ended();
      refuseChanges(cluster, verbs);
      await runWorkflowTask(cluster);
      expect(waits(cluster)).toBe(1);
      await settleDown(cluster);
      expect(cluster.api.job?.status).toMatchObject({ succeeded: 1 });
    },
  );

  it('are also repeated when only the finalizers of pods remain to be removed (J-3.45, B-25)', async () => {
    const cluster = undelivered();
    await runWorkflowTask(cluster);
    removeJob(cluster.api);
    deliverAll(cluster);
    refuseChanges(cluster, ['patch']);
    await runWorkflowTask(cluster);
    expect(waits(cluster)).toBe(1);
    await settleDown(cluster);
    expect(trackedPods(cluster)).toEqual([]);
  });

  it('delay a step until the longest delay among its kinds of commands has passed', () => {
    const { state } = given(aJob(one)).and(aRunningPod({ controller: 'none', untracked: true }));
    const retry = { errors: 1, message: 'no' };
    for (const [early, late] of [
      ['AdoptPods', 'ReleasePods'],
      ['ReleasePods', 'AdoptPods'],
    ] as const) {
      const retries = {
        [early]: { ...retry, until: START + 3000 },
        [late]: { ...retry, until: START + 5000 },
      };
      givenState({ ...state, retries })
        .when(null)
        .thenLookAgain(5)
        .thenWaitsBy('J-3.2', `no ${late} before 2026-03-01T12:00:05.000Z: 1 error of the API, the last: no`);
    }
  });

  it('are repeated at once under a changed spec (J-3.14)', async () => {
    const cluster = undelivered();
    refuseChanges(cluster, ['create']);
    await runWorkflowTask(cluster);
    cluster.api.trouble = () => null;
    patchJobSpec(cluster.api, { activeDeadlineSeconds: 60 });
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(1);
  });
});
