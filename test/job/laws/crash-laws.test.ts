import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import {
  createModelCluster,
  countEndedPods,
  modelEnding,
  hastyPods,
  settleDown,
  trackedPods,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { unfoundedDecisions, unrecordedDecisions } from '../../support/model-cluster-verify.ts';
import {
  changes,
  deletions,
  doAsUser,
  expectedEnd,
  steps,
  stories,
  take,
  type Deed,
  type Step,
  type Story,
} from './crash-story.ts';
import { extent } from '../../support/extent.ts';

jest.setTimeout(600_000);

const SEED = Number(process.env['JOBLEDGER_LAW_SEED'] ?? 20_260_301);
const RUNS = extent(100, 300);
const OPTIONS = { numRuns: RUNS, seed: SEED };

/** Half of the runs count few pods at a time, so that they reach the limit of J-4.7. */
const caps = fc.constantFrom(DEFAULT_SETTINGS.maxUncountedPods, 2);

const stepsOnly = fc.array(steps, { maxLength: 60, size: 'max' });
const withDeletions = fc.array(
  fc.oneof({ weight: 12, arbitrary: steps }, { weight: 1, arbitrary: deletions }),
  { maxLength: 60, size: 'max' },
);
const withChanges = fc.array(fc.oneof({ weight: 9, arbitrary: steps }, { weight: 1, arbitrary: changes }), {
  maxLength: 60,
});

async function play(
  { fates, ...spec }: Story,
  happenings: readonly (Step | Deed)[],
  cap: number,
): Promise<ModelCluster> {
  const fate = (creation: number): 'Succeeded' | 'Failed' =>
    (fates[creation] ?? true) ? 'Succeeded' : 'Failed';
  const cluster = createModelCluster(spec, fate, { ...DEFAULT_SETTINGS, maxUncountedPods: cap });
  for (const each of happenings) {
    if (each.kind === 'delete' || each.kind === 'ask' || each.kind === 'spec') doAsUser(cluster, each);
    else await take(cluster, each);
  }
  await settleDown(cluster);
  return cluster;
}

function expectAllFree(cluster: ModelCluster): void {
  expect(trackedPods(cluster)).toEqual([]);
  expect(unfoundedDecisions(cluster.ledger.events)).toEqual([]);
  expect(unrecordedDecisions(cluster)).toEqual([]);
}

function expectEachCountedOnce(cluster: ModelCluster): void {
  const { succeeded, failed, created } = modelEnding(cluster);
  expect(succeeded + failed).toBe(created);
  expectAllFree(cluster);
}

describe('a Job while facts are late, repeated, forgotten or lost, and processes die at any step', () => {
  it('ends as without faults, counts every pod once, and counts no pod too many (J-3.20, J-4.21)', async () => {
    await fc.assert(
      fc.asyncProperty(stories, stepsOnly, caps, async (story, happenings, cap) => {
        const cluster = await play(story, happenings, cap);
        const [ending, expected] = [modelEnding(cluster), expectedEnd(story)];
        expectEachCountedOnce(cluster);
        expect(ending.type).toBe(expected.type);
        expectAsManyCreated(ending.created, story);
        if (expected.type === 'Complete') expect(ending.succeeded).toBe(countEndedPods(cluster, 'Succeeded'));
        else expect(ending.failed).toBeGreaterThanOrEqual(countEndedPods(cluster, 'Failed'));
        if (story.parallelism === 1) expect(hastyPods(cluster)).toEqual([]);
      }),
      OPTIONS,
    );
  });

  it('counts each pod once also when users delete pods', async () => {
    await fc.assert(
      fc.asyncProperty(stories, withDeletions, caps, async (story, happenings, cap) => {
        const cluster = await play(story, happenings, cap);
        expectEachCountedOnce(cluster);
        expect(modelEnding(cluster).type).not.toBeNull();
      }),
      OPTIONS,
    );
  });

  it('ends and counts no pod twice also when users change its spec', async () => {
    await fc.assert(
      fc.asyncProperty(stories, withChanges, caps, async (story, happenings, cap) => {
        const cluster = await play(story, happenings, cap);
        expectIsAsSpecified(cluster);
        doAsUser(cluster, { kind: 'spec', spec: { suspend: false } });
        doAsUser(cluster, { kind: 'spec', spec: { parallelism: 2 } });
        await settleDown(cluster);
        expectAllFree(cluster);
        const { type, succeeded, failed, created } = modelEnding(cluster);
        expect(type).not.toBeNull();
        expect(succeeded).toBeLessThanOrEqual(countEndedPods(cluster, 'Succeeded'));
        expect(succeeded + failed).toBeLessThanOrEqual(created);
      }),
      OPTIONS,
    );
  });
});

/**
 * Concurrent pods may end in any order, so a Job that fails may have created more pods than sequential ones would need.
 * When its last pod was created, at most `backoffLimit` failures were known, and at most `completions` pods were active
 * or had succeeded.
 */
function expectAsManyCreated(created: number, story: Story): void {
  const expected = expectedEnd(story);
  const isExact = expected.type === 'Complete' || story.parallelism === 1;
  expect(created).toBeGreaterThanOrEqual(expected.created);
  expect(created).toBeLessThanOrEqual(isExact ? expected.created : story.completions + story.backoffLimit);
}

/** A Job that has not ended runs no pod only when it is suspended, or may run none. */
function expectIsAsSpecified(cluster: ModelCluster): void {
  const { suspend = false, parallelism = 1 } = cluster.api.job?.spec ?? {};
  const { type } = modelEnding(cluster);
  expect(type !== null || suspend || parallelism === 0).toBe(true);
  const suspended = cluster.api.job?.status?.conditions?.find((each) => each.type === 'Suspended')?.status;
  expect(type === null && suspend ? suspended : 'True').toBe('True');
}
