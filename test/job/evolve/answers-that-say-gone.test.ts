import { describe, expect, it } from '@jest/globals';
import { isOver } from '../../../workflows/job/decide/after-the-end.ts';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  aSucceededPod,
  podDeletion,
  jobDeleted,
  podObject,
} from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';
import { decideWithOutcomes, jobRead, successOutcome } from '../../support/outcomes.ts';
import { aPod } from '../../support/builders.ts';

const one = { parallelism: 1, completions: 1 };

describe('a pod that a response reports as deleted', () => {
  const job = aJob({ ...one, suspend: true, status: { active: 1, ready: 0, terminating: 0 } });
  const pod = aRunningPod({ ordinal: 0 });

  function afterTheAnswer() {
    const { state } = given(job).and(pod);
    return decideWithOutcomes(state, {
      after: 0,
      outcomes: (commands) =>
        commands.map((command) =>
          command.kind === 'DeletePods'
            ? {
                kind: 'DeletePods',
                untrack: true,
                pods: command.pods.map((each) => ({ ...each, result: 'gone' as const })),
              }
            : successOutcome(command),
        ),
    }).state;
  }

  it('is active again when the watch shows it in a newer version, so that no second pod is created', () => {
    const seen = aRunningPod({ ordinal: 0 });
    const resumed = aJob({ ...one, generation: 2 });
    const { state } = givenState(afterTheAnswer()).and(seen, resumed);
    expect(Object.keys(state.pods)).toEqual([pod.pod.uid]);
    givenState(state).when(null).thenCommands('status', 'event Resumed').thenStatus({ active: 1 });
  });

  it('is forgotten when its deletion is observed', () => {
    expect(fold(afterTheAnswer(), [podDeletion(pod)]).written).toEqual({});
  });
});

describe('a finished, counted pod that a response reports as deleted', () => {
  it.each(['Succeeded', 'Failed'])(
    'is never counted again, also when late facts show it %s and with its finalizer',
    (phase) => {
      const pod = phase === 'Failed' ? aFailedPod({ ordinal: 0 }) : aSucceededPod({ ordinal: 0 });
      const { state } = given(aJob({ parallelism: 1, completions: 3, backoffLimit: 5 })).and(pod);
      const { state: counted } = decideWithOutcomes(state, {
        after: 20,
        outcomes: (commands) =>
          commands.map((command) =>
            command.kind === 'ReleasePods'
              ? {
                  kind: 'ReleasePods',
                  pods: command.pods.map((each) => ({ ...each, result: 'gone' as const })),
                }
              : successOutcome(command),
          ),
      });
      expect(counted.job?.status).toMatchObject(phase === 'Failed' ? { failed: 1 } : { succeeded: 1 });
      const late = aPod({ ordinal: 0, phase });
      const { state: after } = givenState(counted).and(late);
      expect(after.uncounted).toEqual({ succeeded: [], failed: [] });
      givenState(after).when(null, { after: 60 }).thenCommands('~1');
    },
  );
});

describe('a pod that a Job releases because its success policy is met, and that a response reports as deleted', () => {
  // Seen in the kill suite: the attempt that released the pod had lost its outcome, and the pod's end came later.
  it('is not counted when late facts show that it failed and had its finalizer (J-4.17)', () => {
    const job = aJob({
      completionMode: 'Indexed',
      parallelism: 2,
      completions: 2,
      successPolicy: { rules: [{ succeededIndexes: '0' }] },
    });
    const { state } = given(job).and(
      aSucceededPod({ ordinal: 0, index: 0 }),
      aRunningPod({ ordinal: 1, index: 1 }),
    );
    const { state: ended } = decideWithOutcomes(state, {
      after: 20,
      outcomes: (commands) =>
        commands.map((command) =>
          command.kind === 'ReleasePods' || command.kind === 'DeletePods'
            ? {
                ...(command.kind === 'DeletePods'
                  ? { kind: 'DeletePods', untrack: command.untrack }
                  : { kind: 'ReleasePods' }),
                pods: command.pods.map((each) => ({ ...each, result: 'gone' as const })),
              }
            : successOutcome(command),
        ),
    });
    expect(ended.pods).toEqual({});
    const { state: after } = givenState(ended).and(aFailedPod({ ordinal: 1, index: 1 }));
    expect(after.uncounted).toEqual({ succeeded: [], failed: [] });
  });
});

describe('a Job that a response reports as deleted', () => {
  const pod = aSucceededPod({ ordinal: 0 });

  function afterTheAnswer() {
    const { state } = given(aJob(one)).and(pod);
    return decideWithOutcomes(state, {
      after: 0,
      outcomes: (commands) =>
        commands.map(({ kind }) =>
          kind === 'WriteStatus' ? { kind: 'WriteStatus', result: 'gone' } : { kind: 'skipped' },
        ),
    }).state;
  }

  it('exists again when it is observed in a newer version, and its pods are counted', () => {
    const state = fold(afterTheAnswer(), [aJob(one)]);
    expect(state.jobGone).toBe(false);
    givenState(state).when(null).thenCommands('~1', 'status', 'event Completed').thenStatus({ succeeded: 1 });
  });

  it('needs no workflow any more when it has no pods', () => {
    expect(isOver({ ...afterTheAnswer(), pods: {} }, DEFAULT_SETTINGS)).toBe(true);
  });

  it('stays deleted when its deletion is observed, and counts no pod', () => {
    const state = fold(afterTheAnswer(), [jobDeleted(), aJob(one)]);
    expect(state.jobGone).toBe(true);
    expect(state.uncounted).toEqual({ succeeded: [], failed: [] });
  });

  it('exists again when it is observed after a look-up had not found it', () => {
    const { state } = given(pod);
    const { state: absent } = decideWithOutcomes(state, {
      after: 0,
      outcomes: () => [{ kind: 'LookUpJob', job: null }],
    });
    expect(absent.jobGone).toBe(true);
    expect(fold(absent, [aJob(one)]).jobGone).toBe(false);
  });
});

describe('a creation that finds an existing pod of the Job', () => {
  const finished = podObject({ ordinal: 0, phase: 'Succeeded', untracked: true });

  it('does not add the pod to the state when the pod had finished and was released', () => {
    const { state } = given(aJob({ parallelism: 1, completions: 5, status: { succeeded: 1 } }));
    const { state: after } = decideWithOutcomes(state, {
      after: 0,
      outcomes: (commands) =>
        commands.map((command) =>
          command.kind === 'CreatePods'
            ? {
                kind: 'CreatePods',
                generation: 1,
                pods: command.pods.map(({ ordinal, name }) => ({
                  ordinal,
                  name,
                  result: 'created' as const,
                  uid: finished.metadata.uid,
                  resourceVersion: '1',
                  pod: {
                    uid: finished.metadata.uid,
                    namespace: 'default',
                    name,
                    resourceVersion: '1',
                    phase: 'Succeeded',
                    createdAt: 0,
                    controller: jobRead({}).uid,
                    controllerName: 'pi',
                  },
                })),
              }
            : successOutcome(command),
        ),
    });
    expect(after.pods).toEqual({});
    expect(after.nextOrdinal).toBe(1);
  });
});
