import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { isFinished } from '../../../workflows/batch/conditions.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../workflows/job/settings.ts';
import type { JobSpec, PodGroup, Workload } from '../../../workflows/kubernetes/objects.ts';
import {
  createModelCluster,
  modelEnding,
  settleDown,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { unfoundedDecisions, unrecordedDecisions } from '../../support/model-cluster-verify.ts';
import { changes, doAsUser, steps, take, type Deed, type Step } from './crash-story.ts';
import { extent } from '../../support/extent.ts';

jest.setTimeout(600_000);

const OPTIONS = { numRuns: extent(50, 150), seed: 20_260_313 };
const SERVED: Settings = { ...DEFAULT_SETTINGS, gangScheduling: 'served' };
const NEW_API: Settings = { ...DEFAULT_SETTINGS, gangScheduling: 'v1beta1' };
const happenings = fc.array(fc.oneof({ weight: 9, arbitrary: steps }, { weight: 1, arbitrary: changes }), {
  maxLength: 60,
  size: 'max',
});
const gangs = fc.record({
  completionMode: fc.constant('Indexed'),
  size: fc.integer({ min: 2, max: 3 }),
  suspend: fc.boolean(),
});

async function play(
  { size, ...spec }: { size: number } & JobSpec,
  taken: readonly (Step | Deed)[],
  settings = SERVED,
): Promise<ModelCluster> {
  const job = { ...spec, parallelism: size, completions: size };
  const cluster = createModelCluster(job, () => 'Succeeded', settings);
  for (const each of taken) {
    // The API server of 1.36 refuses another parallelism of a gang (J-8.14).
    if (settings === SERVED && each.kind === 'spec' && 'parallelism' in each.spec) continue;
    if (each.kind === 'delete' || each.kind === 'ask' || each.kind === 'spec') doAsUser(cluster, each);
    else await take(cluster, each);
  }
  await settleDown(cluster);
  doAsUser(cluster, { kind: 'spec', spec: { suspend: false } });
  await settleDown(cluster);
  return cluster;
}

function decidedTimes({ ledger }: ModelCluster): number {
  return ledger.events.filter(
    ({ type, data }) =>
      type === 'outcome.recorded' && data.outcome.kind === 'EnsureGang' && data.outcome.result === 'done',
  ).length;
}

describe('a gang while facts are late or lost and processes die at any step', () => {
  it('has one Workload and one PodGroup, which all its pods join (J-8.3, J-8.8, B-12)', async () => {
    let repeated = 0;
    await fc.assert(
      fc.asyncProperty(gangs, happenings, async (job, taken) => {
        const cluster = await play(job, taken);
        const { api, ledger } = cluster;
        const { workloads, podgroups } = api.gangs;
        const groups = new Set(api.created.map(({ spec }) => spec.schedulingGroup?.podGroupName));
        expect(modelEnding(cluster).type).toBe('Complete');
        expect([workloads.size, podgroups.size]).toEqual([1, 1]);
        expect([...groups]).toEqual([...podgroups.keys()]);
        expect(unfoundedDecisions(ledger.events)).toEqual([]);
        expect(unrecordedDecisions(cluster)).toEqual([]);
        if (decidedTimes(cluster) > 1) repeated += 1;
      }),
      OPTIONS,
    );
    // Some runs have died between the command and its fold.
    expect(repeated).toBeGreaterThan(OPTIONS.numRuns / 30);
  });
});

describe('a PodGroup of Kubernetes 1.37 while facts are late or lost and processes die at any step', () => {
  it('is the only PodGroup of the Job, all pods join it, and at the end its size is the parallelism of the Job (J-8.25, J-8.26)', async () => {
    let resized = 0;
    const scheduling = { schedulingPolicy: { gang: {} } };
    await fc.assert(
      fc.asyncProperty(gangs, happenings, async (job, taken) => {
        const cluster = await play({ ...job, scheduling }, taken, NEW_API);
        const { api, ledger } = cluster;
        const [workload] = api.gangs.workloads.values() as unknown as Iterable<Workload>;
        const [group] = api.gangs.podgroups.values() as unknown as Iterable<PodGroup>;
        expect([api.gangs.workloads.size, api.gangs.podgroups.size]).toEqual([1, 1]);
        const joined = new Set(api.created.map(({ spec }) => spec.schedulingGroup?.podGroupName));
        expect([...joined].every((name) => name === group?.metadata.name)).toBe(true);
        const sizes = [group?.spec.schedulingPolicy, workload?.spec.podGroupTemplates[0]?.schedulingPolicy];
        expect(sizes[0]).toEqual(sizes[1]);
        if (!isOver(cluster))
          expect(sizes[0]?.gang?.minCount).toBe(Math.max(1, api.job?.spec.parallelism ?? 1));
        expect(unfoundedDecisions(ledger.events)).toEqual([]);
        expect(unrecordedDecisions(cluster)).toEqual([]);
        if (sizes[0]?.gang?.minCount !== job.size) resized += 1;
      }),
      OPTIONS,
    );
    expect(resized).toBeGreaterThan(5);
  });
});

/** The size of a finished or deleted Job no longer matters. */
function isOver({ api: { job } }: ModelCluster): boolean {
  return job === null || isFinished(job.status ?? {});
}
