import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { DEFAULT_SETTINGS, type Settings } from '../../../workflows/job/settings.ts';
import { createModelCluster, endingOf, settleDown, type ModelCluster } from '../../support/model-cluster.ts';
import { unfounded, unrecorded } from '../../support/model-cluster-verify.ts';
import { changes, doAsUser, steps, take, type Deed, type Step } from './crash-story.ts';

jest.setTimeout(600_000);

const OPTIONS = { numRuns: 150, seed: 20_260_313 };
const settings: Settings = { ...DEFAULT_SETTINGS, gangScheduling: 'served' };
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
  { size, ...spec }: { size: number; completionMode: string; suspend: boolean },
  taken: readonly (Step | Deed)[],
): Promise<ModelCluster> {
  const job = { ...spec, parallelism: size, completions: size };
  const cluster = createModelCluster(job, () => 'Succeeded', settings);
  for (const each of taken) {
    // The API server refuses another parallelism of a gang (J-8.14).
    if (each.kind === 'spec' && 'parallelism' in each.spec) continue;
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
      type === 'command.answered' && data.answer.kind === 'EnsureGang' && data.answer.result === 'done',
  ).length;
}

describe('a gang, while facts are late or lost and processes die at any step', () => {
  it('has one Workload and one PodGroup, which all its pods join (J-8.3, J-8.8, B-12)', async () => {
    let repeated = 0;
    await fc.assert(
      fc.asyncProperty(gangs, happenings, async (job, taken) => {
        const cluster = await play(job, taken);
        const { api, ledger } = cluster;
        const { workloads, podgroups } = api.gangs;
        const groups = new Set(api.created.map(({ spec }) => spec.schedulingGroup?.podGroupName));
        expect(endingOf(cluster).type).toBe('Complete');
        expect([workloads.size, podgroups.size]).toEqual([1, 1]);
        expect([...groups]).toEqual([...podgroups.keys()]);
        expect(unfounded(ledger.events)).toEqual([]);
        expect(unrecorded(cluster)).toEqual([]);
        if (decidedTimes(cluster) > 1) repeated += 1;
      }),
      OPTIONS,
    );
    // Some runs have died between the command and its fold.
    expect(repeated).toBeGreaterThan(5);
  });
});
