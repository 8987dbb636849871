import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import type { JobFields } from '../support/builders.ts';
import {
  createModelCluster,
  endingOf,
  settleDown,
  trackedPods,
  type ModelCluster,
} from '../support/model-cluster.ts';
import { patchJobSpec } from '../support/model-cluster-api.ts';
import { unfounded } from '../support/model-cluster-verify.ts';
import { doAsUser, foretold, steps, stories, take, type Step } from './crash-story.ts';

const SEED = Number(process.env['JOBLEDGER_LAW_SEED'] ?? 20_260_302);
const RUNS = Number(process.env['JOBLEDGER_LAW_RUNS'] ?? 300);
const OPTIONS = { numRuns: RUNS, seed: SEED };

const caps = fc.constantFrom(DEFAULT_SETTINGS.maxUncountedPods, 2);
const happenings = fc.array(steps, { maxLength: 60 });
const perIndex = fc.record<JobFields>({
  backoffLimitPerIndex: fc.nat(2),
  maxFailedIndexes: fc.nat(4),
  backoffLimit: fc.constantFrom(2, 2_147_483_647),
});

type Happening = Step | { deletes: number } | { scaleTo: number };

function tell(job: JobFields, fates: boolean[], told: Happening[], cap: number): ModelCluster {
  const indexed = { ...job, completionMode: 'Indexed' };
  const settings = { ...DEFAULT_SETTINGS, maxUncountedPods: cap };
  const cluster = createModelCluster(
    indexed,
    (creation) => ((fates[creation] ?? true) ? 'Succeeded' : 'Failed'),
    settings,
  );
  for (const each of told) {
    if ('kind' in each) take(cluster, each);
    else if ('deletes' in each) doAsUser(cluster, { kind: 'delete', place: each.deletes });
    else scale(cluster, each.scaleTo);
  }
  settleDown(cluster);
  expect(endingOf(cluster).type).not.toBeNull();
  expect(trackedPods(cluster)).toEqual([]);
  expect(unfounded(cluster.ledger.events)).toEqual([]);
  const { owed, delayed } = cluster.workflow.state;
  expect({ owed, delayed }).toEqual({ owed: { succeeded: [], failed: [] }, delayed: {} });
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
  it('ends as without faults, every pod counted once, one at a time of an index', () => {
    fc.assert(
      fc.property(stories, happenings, caps, ({ fates, ...job }, told, cap) => {
        const cluster = tell(job, fates, told, cap);
        const { type, created, succeeded, failed } = endingOf(cluster);
        expect(type).toBe(foretold({ fates, ...job }).type);
        expect(succeeded + failed).toBe(created);
      }),
      OPTIONS,
    );
  });

  it('counts every pod once with limits for each index', () => {
    fc.assert(
      fc.property(stories, perIndex, happenings, caps, ({ fates, ...job }, limits, told, cap) => {
        const maxFailedIndexes = Math.min(limits.maxFailedIndexes ?? 0, job.completions);
        const cluster = tell({ ...job, ...limits, maxFailedIndexes }, fates, told, cap);
        const { created, succeeded, failed } = endingOf(cluster);
        expect(succeeded + failed).toBe(created);
      }),
      OPTIONS,
    );
  });

  it('comes to an end also when users delete pods and change its size', () => {
    const disturbance = fc.oneof(
      fc.record({ deletes: fc.nat(4) }),
      fc.record({ scaleTo: fc.integer({ min: 0, max: 4 }) }),
    );
    const all = fc.oneof({ weight: 10, arbitrary: steps }, { weight: 1, arbitrary: disturbance });
    const limits = fc.option(perIndex.map(({ maxFailedIndexes: _limit, ...rest }) => rest));
    fc.assert(
      fc.property(
        stories,
        limits,
        fc.array(all, { maxLength: 60 }),
        caps,
        ({ fates, ...job }, limit, told, cap) => {
          const parallelism = job.completions;
          tell({ ...job, parallelism, ...limit }, fates, told, cap);
        },
      ),
      OPTIONS,
    );
  });
});
