import { describe, expect, it } from '@jest/globals';
import { decide } from '../../../workflows/job/decide/decide.ts';
import { podName } from '../../../workflows/job/definitions/pod-names.ts';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState, type PodState } from '../../../workflows/job/state.ts';
import { numberedUid } from '../../support/a-big-job.ts';
import {
  aJob,
  aRunningPod,
  aTerminatingPod,
  podDeletion,
  JOB_NAME,
  JOB_UID,
  START,
  startAnew,
} from '../../support/builders.ts';

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
  return { ...state, pods, written, uncounted: { succeeded: [], failed } };
}

/** Milliseconds of CPU that the observation of all deletions takes to fold. */
function timeOfDeletions(count: number): number {
  startAnew();
  const state = deletedPods(count);
  const facts = Array.from({ length: count }, (_none, pod) => {
    const seen = aTerminatingPod({ uid: `uid-${pod}`, ordinal: pod, version: String(FIRST_VERSION + pod) });
    return [seen, podDeletion(seen, { version: String(FIRST_VERSION + count + pod) })];
  }).flat();
  return timed(() => fold(state, facts));
}

/** Milliseconds until the first creation, for a Job of which another controller created all pods but a tenth. */
function timeOfTakingOver(count: number): number {
  startAnew();
  const job = aJob({ parallelism: count, completions: count, version: '1' });
  const facts = Array.from({ length: count * 0.9 }, (_none, pod) =>
    aRunningPod({ name: nameByOthers(pod), uid: numberedUid(pod), version: String(pod + 2) }),
  );
  return timed(() => {
    const state = fold(INITIAL_STATE, [job, ...facts]);
    expect(decide(state, START, DEFAULT_SETTINGS).commands).not.toEqual([]);
  });
}

/** Five random letters, as the API server appends: they are also those of some ordinal of ours. */
function nameByOthers(pod: number): string {
  return podName({ uid: JOB_UID, name: JOB_NAME }, Number.parseInt(numberedUid(pod).slice(0, 8), 16));
}

/** CPU time, because on a busy machine a process waits for its turn. */
function timed(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** The least of several times: other work of the machine only adds to one. */
function leastTime(measureTime: (count: number) => number, count: number): number {
  return Math.min(...[1, 2, 3].map(() => measureTime(count)));
}

describe('the cost of folding', () => {
  // Linear would be 16, quadratic 256.
  it.each([
    ['the deletions of all pods', timeOfDeletions],
    ['the pods of a Job that is taken over', timeOfTakingOver],
  ])('grows with the facts, not with facts times pods, for %s', (_what, measureTime) => {
    expect(leastTime(measureTime, 8000) / leastTime(measureTime, 500)).toBeLessThan(64);
  });
});
