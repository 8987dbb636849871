import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { createModelCluster, endedAs, endingOf, settleDown, trackedPods } from '../support/model-cluster.ts';
import { unfounded } from '../support/model-cluster-verify.ts';
import { deleteAsUser, foretold, steps, stories, take, type Step, type Story } from './crash-story.ts';

const SEED = Number(process.env['JOBLEDGER_LAW_SEED'] ?? 20_260_301);
const RUNS = Number(process.env['JOBLEDGER_LAW_RUNS'] ?? 800);
const OPTIONS = { numRuns: RUNS, seed: SEED };

/** Half of the runs count few pods at a time, so that the cap (J-4.7) is met. */
const caps = fc.constantFrom(DEFAULT_SETTINGS.maxUncountedPods, 2);

function tell(
  { fates, ...spec }: Story,
  happenings: (Step | { deletes: number })[],
  cap: number,
): ReturnType<typeof createModelCluster> {
  const cluster = createModelCluster(
    spec,
    (creation) => ((fates[creation] ?? true) ? 'Succeeded' : 'Failed'),
    {
      ...DEFAULT_SETTINGS,
      maxUncountedPods: cap,
    },
  );
  for (const each of happenings) {
    if ('kind' in each) take(cluster, each);
    else deleteAsUser(cluster, each.deletes);
  }
  settleDown(cluster);
  const { succeeded, failed, created } = endingOf(cluster);
  expect(succeeded + failed).toBe(created);
  expect(trackedPods(cluster)).toEqual([]);
  expect(unfounded(cluster.ledger.events)).toEqual([]);
  return cluster;
}

describe('a Job while facts are late, repeated, forgotten or lost, and processes die at any step', () => {
  it('ends as without faults, every pod counted once, none too many', () => {
    fc.assert(
      fc.property(stories, fc.array(steps, { maxLength: 60 }), caps, (story, happenings, cap) => {
        const cluster = tell(story, happenings, cap);
        const ending = endingOf(cluster);
        const expected = foretold(story);
        expect(ending.type).toBe(expected.type);
        if (expected.type === 'Complete') {
          expect(ending.created).toBe(expected.created);
          expect(ending.succeeded).toBe(endedAs(cluster, 'Succeeded'));
        } else {
          expect(ending.reason).toBe('BackoffLimitExceeded');
          expect(ending.failed).toBeGreaterThanOrEqual(endedAs(cluster, 'Failed'));
          if (story.parallelism === 1) expect(ending.created).toBe(expected.created);
        }
      }),
      OPTIONS,
    );
  });

  it('counts each pod once also when users delete pods', () => {
    const deletion = fc.record({ deletes: fc.nat(4) });
    const happenings = fc.oneof({ weight: 12, arbitrary: steps }, { weight: 1, arbitrary: deletion });
    fc.assert(
      fc.property(stories, fc.array(happenings, { maxLength: 60 }), caps, (story, told, cap) => {
        expect(endingOf(tell(story, told, cap)).type).not.toBeNull();
      }),
      OPTIONS,
    );
  });
});
