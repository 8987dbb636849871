import { describe, expect, it } from '@jest/globals';
import { isOver } from '../../../workflows/job/decide/after-the-end.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../workflows/job/settings.ts';
import { INITIAL_STATE } from '../../../workflows/job/state.ts';
import { aFailedPod, aJob, aRunningPod, userRequest, at, jobDeleted, START } from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';

const ended = {
  startTime: at(-60),
  completionTime: at(-1),
  succeeded: 1,
  ready: 0,
  terminating: 0,
  conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: at(0),
  })),
};
const refused = { ReleasePods: { errors: 1, until: START + 4000, message: 'no' } };
const WITH_TTL: Settings = { ...DEFAULT_SETTINGS, controllers: ['job', 'ttl'] };

describe('a Job that has finished', () => {
  it('releases its late pods, without counting or deleting them (J-3.13, J-6.37)', () => {
    const { verdict } = given(aJob({ status: ended }))
      .and(aFailedPod(), aRunningPod(), aRunningPod({ untracked: true }))
      .when(null)
      .thenCommands('~2')
      .thenBecause('J-3.46: the Job has finished');
    expect(verdict.commands[0]).toMatchObject({ unlessAdopted: true });
  });

  it('waits while a release is refused, and is still deleted when its TTL expires (J-10.5)', () => {
    const { state } = given(aJob({ status: ended, ttlSecondsAfterFinished: 9 })).and(aFailedPod());
    const waiting = 'no ReleasePods before 2026-03-01T12:00:04.000Z: 1 error of the API, the last: no';
    const held = givenState({ ...state, retries: refused }, WITH_TTL);
    held.when(null).thenCommands().thenLookAgain(4).thenWaitsBy('J-3.2', waiting);
    const until = { ReleasePods: { ...refused.ReleasePods, until: START + 60_000 } };
    givenState({ ...state, retries: until }, WITH_TTL)
      .when(null)
      .thenLookAgain(9);
    givenState({ ...state, retries: until }, WITH_TTL)
      .when(null, { after: 9 })
      .thenCommands('delete Job');
  });

  it('is not changed by Jobledger, whatever its spec contains (J-6.37)', () => {
    given(aJob({ status: ended }))
      .and(aRunningPod({ untracked: true }))
      .when(aJob({ status: ended, parallelism: 5, completions: 9, suspend: true, generation: 2 }))
      .thenCommands()
      .thenLookAgain(null);
  });
});

describe('pods without a Job (J-3.46, J-4.32)', () => {
  it('are released when the Job is deleted', () => {
    const { verdict } = given(aJob())
      .and(aRunningPod(), aFailedPod())
      .when(jobDeleted())
      .thenCommands('~2')
      .thenBecause('J-3.46: the Job does not exist any more');
    expect(verdict.commands[0]).toMatchObject({ unlessAdopted: true });
  });

  it('cause a look-up of a Job that was never observed', () => {
    givenState(INITIAL_STATE)
      .when(aRunningPod())
      .thenCommands('look up Job')
      .thenBecause('J-3.46: the Job was never seen')
      .thenLookAgain(null);
  });
});

describe('the workflow of a Job', () => {
  const job = given(aJob()).and(aRunningPod({ name: 'one' }));
  const freed = aRunningPod({ name: 'one', untracked: true });

  it.each([
    { when: 'the Job exists', state: () => given(aJob()).state, over: false },
    { when: 'one of its pods is still tracked', state: () => job.and(jobDeleted()).state, over: false },
    { when: 'the Job and its pods are gone', state: () => job.and(jobDeleted(), freed).state, over: true },
    { when: 'the Job has finished', state: () => given(aJob({ status: ended })).state, over: true },
    {
      when: 'a pod of the finished Job is still tracked',
      state: () => given(aJob({ status: ended })).and(aFailedPod()).state,
      over: false,
    },
    {
      when: 'a user request about the finished Job is not answered yet',
      state: () => given(aJob({ status: ended })).and(userRequest('suspend')).state,
      over: false,
    },
    {
      when: 'a user request is not answered yet',
      state: () => job.and(jobDeleted(), freed, userRequest('suspend')).state,
      over: false,
    },
    {
      when: 'another controller controls it, and there is nothing to wait for (J-10.4)',
      state: () => given(aJob({ managedBy: 'example.com/other', status: ended })).state,
      over: true,
    },
  ])('ends, or does not end, when $when: $over (J-3.46)', ({ state, over }) => {
    expect(isOver(state(), DEFAULT_SETTINGS)).toBe(over);
  });

  it('waits for the TTL of its finished Job only when Jobledger is the ttl controller (J-10.1)', () => {
    const { state } = given(aJob({ status: ended, ttlSecondsAfterFinished: 9 }));
    expect(isOver(state, WITH_TTL)).toBe(false);
    expect(isOver(state, DEFAULT_SETTINGS)).toBe(true);
  });

  it('waits for the deletion of a Job that another controller controls only if Jobledger is the ttl controller (J-10.4)', () => {
    const fields = { managedBy: 'example.com/other', status: ended, ttlSecondsAfterFinished: 9 };
    const waiting = given(aJob(fields));
    expect(isOver(waiting.state, WITH_TTL)).toBe(false);
    expect(isOver(waiting.state, DEFAULT_SETTINGS)).toBe(true);
    expect(isOver(waiting.and(jobDeleted()).state, WITH_TTL)).toBe(true);
    givenState(waiting.and(jobDeleted()).state, WITH_TTL).when(null, { after: 99 }).thenCommands();
  });
});
