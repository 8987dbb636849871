import { describe, expect, it } from '@jest/globals';
import {
  createModelCluster,
  deliverAll,
  settleDown,
  runWorkflowTask,
  type ModelCluster,
} from '../../../support/model-cluster.ts';
import { unfoundedDecisions } from '../../../support/model-cluster-verify.ts';
import { fold } from '../../../../workflows/job/evolve/evolve.ts';
import type { PodState } from '../../../../workflows/job/state.ts';
import { aJob, aRunningPod, at, START } from '../../../support/builders.ts';
import { given, givenState } from '../../../support/given.ts';
import { commandNotation } from '../../../support/given-notation.ts';

async function started(): Promise<ModelCluster> {
  const cluster = createModelCluster({ parallelism: 1, completions: 1 }, () => 'Succeeded');
  deliverAll(cluster);
  await runWorkflowTask(cluster);
  return cluster;
}

function lastCommands({ ledger }: ModelCluster): string[] {
  const decided = ledger.events.findLast(({ type }) => type === 'job.decided');
  return decided?.type === 'job.decided' ? decided.data.commands.map(commandNotation) : [];
}

describe('the look-up of a pod that was never observed (J-3.21)', () => {
  const { state } = given(aJob({ parallelism: 3, completions: 3, status: { startTime: at(0) } }));
  const unseen = (created: number): PodState => ({
    name: `p${created}`,
    created: START / 1000 + created,
    unseen: true,
  });
  const lost = givenState({
    ...state,
    pods: { a: unseen(30), b: unseen(10), c: { name: 'c', created: START / 1000 } },
  });

  it('happens a minute after the creation of the pod, for the oldest pod first', () => {
    lost.when(null, { after: 69.999 }).thenCommands('status').thenLookAgain(70);
    const { verdict } = lost
      .when(null, { after: 70 })
      .thenCommands('look up 1')
      .thenBecause('J-3.21: created a minute ago and not observed since')
      .thenLookAgain(null);
    expect(verdict.commands[0]).toMatchObject({ pods: [{ uid: 'b', name: 'p10' }] });
    lost.when(null, { after: 90 }).thenCommands('look up 2');
  });

  it('never happens when all pods have been observed', () => {
    givenState({ ...state, pods: {} })
      .when(null)
      .thenLookAgain(null);
  });
});

describe('a pod that was created and is not observed (J-3.21)', () => {
  it('counts as active, and is queried after a minute', async () => {
    const cluster = await started();
    expect(Object.values(cluster.workflow.state.pods)).toMatchObject([{ unseen: true }]);
    expect(cluster.workflow.nextDecisionAt).toBe(START + 60_000);
    cluster.api.now = START + 60_000;
    await runWorkflowTask(cluster);
    expect(lastCommands(cluster)).toEqual(['look up 1']);
    expect(Object.values(cluster.workflow.state.pods).map(({ unseen }) => unseen)).toEqual([undefined]);
  });

  // A creation that is repeated after a crash reads its pod too.
  it('is queried again when it is twice as old and still not observed', async () => {
    const cluster = await started();
    cluster.api.now = START + 60_000;
    await runWorkflowTask(cluster);
    cluster.api.pods.clear();
    expect(cluster.workflow.nextDecisionAt).toBe(START + 120_000);
    cluster.api.now = START + 120_000;
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(2);
  });

  it('is not queried any more once it is observed', async () => {
    const cluster = await started();
    cluster.api.now = START + 60_000;
    await runWorkflowTask(cluster);
    const [[uid, pod] = []] = Object.entries(cluster.workflow.state.pods);
    expect(pod).toMatchObject({ readAt: START / 1000 + 60 });
    const seen = aRunningPod({
      uid: uid ?? '',
      name: cluster.api.created[0]?.metadata.name ?? '',
      version: '999999',
    });
    const { pods } = fold(cluster.workflow.state, [seen]);
    expect(Object.values(pods).map(({ readAt }) => readAt)).toEqual([undefined]);
  });

  it('is replaced when the query shows that it does not exist', async () => {
    const cluster = await started();
    cluster.api.pods.clear();
    cluster.api.now = cluster.workflow.nextDecisionAt ?? 0;
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(2);
    await settleDown(cluster);
    expect(cluster.api.job?.status?.succeeded).toBe(1);
    expect(unfoundedDecisions(cluster.ledger.events)).toEqual([]);
  });
});
