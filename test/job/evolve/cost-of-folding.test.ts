import { describe, expect, it } from '@jest/globals';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import { INITIAL_STATE, type JobState, type PodState } from '../../../workflows/job/state.ts';
import { aJob, aTerminatingPod, gone, startAnew } from '../../support/builders.ts';

const FIRST_VERSION = 1_000_000;

/** A Job whose pods were deleted by us, before the deletions are observed. */
function deletedPods(count: number): JobState {
  const pods: Record<string, PodState> = {};
  const written: Record<string, string> = {};
  const failed: string[] = [];
  for (let pod = 0; pod < count; pod += 1) {
    pods[`uid-${pod}`] = { ordinal: pod, created: 0, deleting: true };
    written[`uid-${pod}`] = String(FIRST_VERSION + pod);
    failed.push(`uid-${pod}`);
  }
  const state = fold(INITIAL_STATE, [aJob({ parallelism: count, completions: count })]);
  return { ...state, pods, written, owed: { succeeded: [], failed } };
}

/** Milliseconds that the observation of all deletions takes to fold. */
function timeOf(count: number): number {
  startAnew();
  const state = deletedPods(count);
  const facts = Array.from({ length: count }, (_none, pod) => {
    const seen = aTerminatingPod({ uid: `uid-${pod}`, ordinal: pod, version: String(FIRST_VERSION + pod) });
    return [seen, gone(seen, { version: String(FIRST_VERSION + count + pod) })];
  }).flat();
  const start = performance.now();
  fold(state, facts);
  return performance.now() - start;
}

describe('the cost of folding', () => {
  it('grows with the facts, not with facts times pods', () => {
    timeOf(1000);
    // Linear would be 16, quadratic 256; with the facts times pods of before it was 73.
    expect(timeOf(16_000) / timeOf(1000)).toBeLessThan(40);
  });
});
