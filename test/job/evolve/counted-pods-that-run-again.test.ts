import { describe, expect, it } from '@jest/globals';
import { aFailedPod, aJob, aPod, aRunningPod, aSucceededPod, podObject } from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';
import { decideWithOutcomes, successOutcome } from '../../support/outcomes.ts';
import type { Command } from '../../../workflows/job/commands.ts';

const one = { parallelism: 1, completions: 1, backoffLimit: 6 };

describe('a failed pod that is counted, released and replaced, and whose status shows Running again', () => {
  const failed = aFailedPod({ ordinal: 0, finished: -60 });
  const { uid } = failed.pod;

  function afterItsCount() {
    const { state } = given(aJob(one)).and(failed);
    return decideWithOutcomes(state, { after: 0, outcomes: (commands) => commands.map(successAtVersion) })
      .state;
  }

  function whenItRunsAgain() {
    return givenState(afterItsCount()).and(
      aFailedPod({ uid, ordinal: 0, untracked: true, finished: -60 }),
      aRunningPod({ ordinal: 1 }),
      aPod({ uid, ordinal: 0, untracked: true, phase: 'Running' }),
    );
  }

  it('is not active, so that its replacement is not deleted as surplus (J-0.4, J-5.12)', () => {
    whenItRunsAgain().when(null).thenCommands();
  });

  it('is not counted again when its status then shows that it succeeded', () => {
    const { state } = whenItRunsAgain().and(aSucceededPod({ uid, ordinal: 0, untracked: true }));
    expect(state.uncounted).toEqual({ succeeded: [], failed: [] });
    expect(Object.values(state.pods).map(({ ordinal }) => ordinal)).toEqual([1]);
  });
});

/** The answer to a release has the version of the released pod. */
function successAtVersion(command: Command): ReturnType<typeof successOutcome> {
  const outcome = successOutcome(command);
  if (outcome.kind !== 'ReleasePods') return outcome;
  const resourceVersion = podObject().metadata.resourceVersion;
  return { ...outcome, pods: outcome.pods.map((pod) => ({ ...pod, resourceVersion })) };
}

describe('a pod that was released before its deletion was refused', () => {
  it('stays active, so that its deletion is attempted again (J-5.34)', () => {
    const pod = aRunningPod({ ordinal: 0 });
    const { uid } = pod.pod;
    const released = aPod({ uid, ordinal: 0, untracked: true, phase: 'Running' });
    given(aJob({ ...one, suspend: true, status: { active: 1, ready: 0, terminating: 0 } }))
      .and(pod, released)
      .when(null)
      .thenCommands('-1', 'status', 'event Suspended');
  });
});
