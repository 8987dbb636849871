import { beforeAll, describe, expect, it } from '@jest/globals';
import { JOB_CORES, type Core } from '../../workflows/cores/cores.ts';
import { createNarrator } from '../../workflows/history/timeline/narrator.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import { replayTo } from '../../workflows/history/replay/replay-to.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import { whatIf } from '../../workflows/history/what-if/what-if.ts';
import { why } from '../../workflows/history/why/why.ts';
import type { JobDecided, JobEvent } from '../../workflows/job/events.ts';
import {
  createModelCluster,
  deliverAll,
  settleDown,
  runWorkflowTask,
  type ModelCluster,
} from '../support/model-cluster.ts';
import { addEarlierCore, CORE_BEFORE } from '../support/core-before.ts';
import { setPod } from '../support/model-cluster-api.ts';
import { recallWorkflow } from '../support/model-cluster-workflow.ts';

addEarlierCore();

const [JOB, FAILS_ONCE] = [{ parallelism: 1, completions: 1, backoffLimit: 2 }, failsOnce];

function failsOnce(creation: number): 'Failed' | 'Succeeded' {
  return creation === 0 ? 'Failed' : 'Succeeded';
}

/** This core decides from now on, as after an upgrade or downgrade: its state comes from the ledger. */
function handOver(cluster: ModelCluster, core: Core): void {
  cluster.workflow.core = core;
  cluster.ledger.core = core;
  recallWorkflow(cluster.workflow, cluster.ledger.events);
}

async function waitingForBackoff(): Promise<ModelCluster> {
  const cluster = createModelCluster(JOB, FAILS_ONCE, undefined, CORE_BEFORE);
  while (cluster.workflow.state.waiting?.rule !== 'J-5.40') {
    cluster.api.now += 300;
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    for (const name of cluster.api.pods.keys()) step(cluster, name);
  }
  return cluster;
}

function step({ api }: ModelCluster, name: string): void {
  const pod = api.pods.get(name);
  if (pod?.status?.phase === 'Pending') endPod(api, name);
}

function endPod(api: ModelCluster['api'], name: string): void {
  const pod = api.pods.get(name);
  if (pod === undefined) return;
  const terminated = { exitCode: 1, finishedAt: new Date(api.now).toISOString().replace(/\.\d+Z$/, 'Z') };
  setPod(api, {
    ...pod,
    spec: { ...pod.spec, nodeName: 'node-1' },
    status: {
      phase: 'Failed',
      containerStatuses: [{ name: 'main', restartCount: 0, state: { terminated } }],
    },
  });
}

const decidingCores = (events: readonly JobEvent[]): string[] =>
  events.filter((event): event is JobDecided => event.type === 'job.decided').map(({ data }) => data.core);

describe('a Job that waits while its core is replaced', () => {
  let cluster: ModelCluster;
  let nextDecisionAt: number | null;
  let handedOver: JobEvent | undefined;

  beforeAll(async () => {
    cluster = await waitingForBackoff();
    ({ nextDecisionAt } = cluster.workflow);
    handOver(cluster, JOB_CORES.present);
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    handedOver = cluster.ledger.events.at(-1);
  });

  it('passes to the new core with a recorded decision that has no other effect', async () => {
    expect(handedOver).toMatchObject({
      type: 'job.decided',
      data: { core: '1', commands: [], waiting: { rule: 'J-5.40' }, nextDecisionAt },
    });
    await runWorkflowTask(cluster);
    expect(cluster.ledger.events.at(-1)).toBe(handedOver);
  });

  it('shows the change of the core in its history', () => {
    const narrate = createNarrator(new Set());
    const messages = cluster.ledger.events.flatMap((event) => narrate(event).map((line) => line.message));
    expect(messages.at(-1)).toMatch(
      /^core 1 decides from here on: waits: no pod before .* back-off after 1 failure/,
    );
    expect(messages.filter((each) => each.includes('decides from here on'))).toHaveLength(1);
  });

  it('continues without interruption, and each decision is verified by the core that made it', async () => {
    await settleDown(cluster);
    const { events } = cluster.ledger;
    expect(cluster.api.job?.status).toMatchObject({ succeeded: 1, failed: 1 });
    expect([...new Set(decidingCores(events))]).toEqual(['0', '1']);
    expect(verifyStream(events)).toEqual({
      decisions: decidingCores(events).length,
      unchecked: 0,
      findings: [],
    });
  });

  it('can be explained, replayed and run under another policy across both cores', () => {
    const { events } = cluster.ledger;
    expect(isRefused(why(events, { about: 'job' }))).toBe(false);
    expect(replayTo(events, { until: '1' })).toMatchObject({ core: '0', different: [] });
    expect(replayTo(events, 'end')).toMatchObject({ core: '1', different: [] });
    expect(whatIf(events, { backoffLimit: 5 })).toMatchObject({
      comparison: 'same',
      core: '1',
    });
  });
});

describe('each of two changes, to the previous core and back to the next core,', () => {
  it('is recorded, and no pod is created twice or lost', async () => {
    const cluster = createModelCluster(JOB, FAILS_ONCE, undefined, JOB_CORES.present);
    for (const core of [CORE_BEFORE, JOB_CORES.present, CORE_BEFORE, JOB_CORES.present]) {
      deliverAll(cluster);
      await runWorkflowTask(cluster);
      handOver(cluster, core);
    }
    await settleDown(cluster);
    const { events } = cluster.ledger;
    expect(cluster.api.created).toHaveLength(2);
    expect(cluster.api.job?.status).toMatchObject({ succeeded: 1, failed: 1 });
    expect(verifyStream(events).findings).toEqual([]);
  });
});
