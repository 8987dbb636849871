import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import type { JobDecided } from '../../../workflows/job/events.ts';
import type { JobFields } from '../../support/builders.ts';
import {
  createModelCluster,
  deliverAll,
  modelEnding,
  settleDown,
  trackedPods,
  runWorkflowTask,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { stepPod, type Fate } from '../../support/model-cluster-kubelet.ts';
import { patchJobSpec } from '../../support/model-cluster-api.ts';
import { unfoundedDecisions, unrecordedDecisions } from '../../support/model-cluster-verify.ts';
import { recallWorkflow } from '../../support/model-cluster-workflow.ts';
import { doAsUser, expectedEnd, steps, stories, take, type Step } from './crash-story.ts';
import { extent } from '../../support/extent.ts';

jest.setTimeout(600_000);

const SEED = Number(process.env['JOBLEDGER_LAW_SEED'] ?? 20_260_302);
const RUNS = extent(60, 300);
const OPTIONS = { numRuns: RUNS, seed: SEED };

const caps = fc.constantFrom(DEFAULT_SETTINGS.maxUncountedPods, 2);
const happenings = fc.array(steps, { maxLength: 60 });
const perIndex = fc.record<JobFields>({
  backoffLimitPerIndex: fc.nat(2),
  maxFailedIndexes: fc.nat(4),
  backoffLimit: fc.constantFrom(2, 2_147_483_647),
});

type Happening = Step | { deletes: number } | { scaleTo: number };

const byCreation =
  (fates: boolean[]): Fate =>
  (creation) =>
    (fates[creation] ?? true) ? 'Succeeded' : 'Failed';

/** The pod of index 0 succeeds; the others run until they are deleted. */
const onlyTheFirst: Fate = (_creation, { metadata }) =>
  metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === '0' ? 'Succeeded' : 'Running';

const LED_BY_THE_FIRST = {
  parallelism: 3,
  completions: 3,
  backoffLimit: 0,
  successPolicy: { rules: [{ succeededIndexes: '0' }] },
};
const SUCCEEDED_BY_THE_FIRST = { type: 'Complete', reason: 'SuccessPolicy', succeeded: 1, failed: 0 };

/** All pods run, and the success of the first is not read yet. */
async function untilTheFirstSucceeds(): Promise<ModelCluster> {
  const cluster = createModelCluster({ ...LED_BY_THE_FIRST, completionMode: 'Indexed' }, onlyTheFirst);
  const { api, fate } = cluster;
  const step = (...names: string[]): void => names.forEach((name) => void stepPod(api, name, fate));
  const running = (): boolean => [...api.pods.values()].every(({ status }) => status?.phase === 'Running');
  deliverAll(cluster);
  await runWorkflowTask(cluster);
  while (!running()) step(...api.pods.keys());
  while (deliverAll(cluster)) await runWorkflowTask(cluster);
  step(api.created[0]?.metadata.name ?? '');
  deliverAll(cluster);
  return cluster;
}

async function play(job: JobFields, fate: Fate, drawn: Happening[], cap: number): Promise<ModelCluster> {
  const settings = { ...DEFAULT_SETTINGS, maxUncountedPods: cap };
  const cluster = createModelCluster({ ...job, completionMode: 'Indexed' }, fate, settings);
  for (const each of drawn) {
    if ('kind' in each) await take(cluster, each);
    else if ('deletes' in each) doAsUser(cluster, { kind: 'delete', place: each.deletes });
    else scale(cluster, each.scaleTo);
  }
  await settleDown(cluster);
  expect(modelEnding(cluster).type).not.toBeNull();
  expect(trackedPods(cluster)).toEqual([]);
  expect(unfoundedDecisions(cluster.ledger.events)).toEqual([]);
  expect(unrecordedDecisions(cluster)).toEqual([]);
  const { uncounted, delayed } = cluster.workflow.state;
  expect({ uncounted, delayed }).toEqual({ uncounted: { succeeded: [], failed: [] }, delayed: {} });
  return cluster;
}

/** J-5.36. */
function scale({ api }: ModelCluster, completions: number): void {
  const { trouble } = api;
  api.trouble = () => null;
  patchJobSpec(api, { completions, parallelism: completions });
  api.trouble = trouble;
}

describe('an Indexed Job while facts are late, repeated, forgotten or lost, and processes die at any step', () => {
  it('ends as without faults, and counts every pod once, with one pod at a time for each index', async () => {
    await fc.assert(
      fc.asyncProperty(stories, happenings, caps, async ({ fates, ...job }, drawn, cap) => {
        const cluster = await play(job, byCreation(fates), drawn, cap);
        const { type, created, succeeded, failed } = modelEnding(cluster);
        expect(type).toBe(expectedEnd({ fates, ...job }).type);
        expect(succeeded + failed).toBe(created);
      }),
      OPTIONS,
    );
  });

  it('counts every pod once with backoffLimitPerIndex', async () => {
    await fc.assert(
      fc.asyncProperty(stories, perIndex, happenings, caps, async ({ fates, ...job }, limits, drawn, cap) => {
        const maxFailedIndexes = Math.min(limits.maxFailedIndexes ?? 0, job.completions);
        const cluster = await play({ ...job, ...limits, maxFailedIndexes }, byCreation(fates), drawn, cap);
        const { created, succeeded, failed } = modelEnding(cluster);
        expect(succeeded + failed).toBe(created);
      }),
      OPTIONS,
    );
  });

  it('counts no pod that runs when its success policy is met, whatever fails afterwards (J-4.17)', async () => {
    const replacement = fc.constantFrom('TerminatingOrFailed', 'Failed');
    await fc.assert(
      fc.asyncProperty(replacement, happenings, caps, async (podReplacementPolicy, drawn, cap) => {
        const cluster = await play({ ...LED_BY_THE_FIRST, podReplacementPolicy }, onlyTheFirst, drawn, cap);
        expect(modelEnding(cluster)).toMatchObject(SUCCEEDED_BY_THE_FIRST);
      }),
      OPTIONS,
    );
  });

  it('counts no pod that runs when its success policy is met, even if the process and the workflow are lost at any command that ends the Job (J-4.17)', async () => {
    const commands = ['DeletePods', 'ReleasePods', 'WriteStatus', 'ReleasePods'];
    for (const command of [...commands.keys(), commands.length])
      for (const isRemembered of [true, false]) {
        const cluster = await untilTheFirstSucceeds();
        await runWorkflowTask(cluster, { decision: 0, command, records: isRemembered });
        if (!isRemembered) recallWorkflow(cluster.workflow, cluster.ledger.events);
        const decision = cluster.ledger.events.findLast(({ type }) => type === 'job.decided') as JobDecided;
        expect(decision.data.commands.map(({ kind }) => kind)).toEqual(commands);
        await settleDown(cluster);
        expect(modelEnding(cluster)).toMatchObject(SUCCEEDED_BY_THE_FIRST);
        expect(unfoundedDecisions(cluster.ledger.events)).toEqual([]);
      }
  });

  it('ends also when users delete pods and change its size', async () => {
    const disturbance = fc.oneof(
      fc.record({ deletes: fc.nat(4) }),
      fc.record({ scaleTo: fc.integer({ min: 0, max: 4 }) }),
    );
    const all = fc.oneof({ weight: 10, arbitrary: steps }, { weight: 1, arbitrary: disturbance });
    const limits = fc.option(perIndex.map(({ maxFailedIndexes: _limit, ...rest }) => rest));
    await fc.assert(
      fc.asyncProperty(
        stories,
        limits,
        fc.array(all, { maxLength: 60 }),
        caps,
        async ({ fates, ...job }, limit, drawn, cap) => {
          const parallelism = job.completions;
          await play({ ...job, parallelism, ...limit }, byCreation(fates), drawn, cap);
        },
      ),
      OPTIONS,
    );
  });
});
