import { describe, expect, it } from '@jest/globals';
import type { Command } from '../../../../workflows/job/commands.ts';
import type { JobState } from '../../../../workflows/job/state.ts';
import { aJob, at } from '../../../support/builders.ts';
import { given, givenState } from '../../../support/given.ts';
import { decideWithOutcomes, type AnOutcome } from '../../../support/outcomes.ts';

const DENIED = { status: 403, reason: 'Forbidden', message: 'denied by a webhook' };

/** Neither pods nor the status can be written. */
function deny(commands: readonly Command[]): AnOutcome[] {
  return commands.map((command, place) => {
    if (place > 0) return { kind: 'skipped' };
    if (command.kind === 'WriteStatus') return { kind: 'WriteStatus', result: 'failed', error: DENIED };
    if (command.kind !== 'CreatePods') return { kind: 'skipped' };
    const pods = command.pods.map((pod) => ({ ...pod, result: 'failed' as const, error: DENIED }));
    return { kind: 'CreatePods', generation: 1, pods };
  });
}

function after(state: JobState, seconds: readonly number[]): JobState {
  return seconds.reduce((now, each) => decideWithOutcomes(now, { after: each, outcomes: deny }).state, state);
}

describe('a Job whose status cannot be written', () => {
  const job = aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10 });
  const denied = after(given(job).state, [0, 0, 1, 1, 3, 3]);

  it('fails at its deadline, counted from the start that was decided first (J-6.5)', () => {
    givenState(denied)
      .when(null, { after: 9 })
      .thenCommands('+1', 'status')
      .thenStatus({ startTime: at(0) });
    const { verdict } = givenState(denied).when(null, { after: 10 });
    expect(verdict.commands.find(({ kind }) => kind === 'WriteStatus')).toMatchObject({
      to: { startTime: at(0), conditions: [{ reason: 'DeadlineExceeded' }, { reason: 'DeadlineExceeded' }] },
    });
  });

  it('has a new start time, from which its deadline counts, after it is suspended and resumed', () => {
    const suspended = { parallelism: 1, completions: 1, activeDeadlineSeconds: 10, suspend: true };
    const { state } = givenState(denied).and(
      aJob({ ...suspended, generation: 2 }),
      aJob({ ...suspended, suspend: false, generation: 3 }),
    );
    givenState(state)
      .when(null, { after: 30 })
      .thenStatus({ startTime: at(30) });
  });
});

describe('a Job that is resumed while its status cannot be written', () => {
  it('retains the instant at which it was first resumed', () => {
    const suspendedNow = {
      type: 'Suspended',
      status: 'True',
      lastProbeTime: at(0),
      lastTransitionTime: at(0),
    };
    const job = aJob({
      parallelism: 1,
      completions: 1,
      activeDeadlineSeconds: 10,
      status: { conditions: [{ ...suspendedNow, reason: 'JobSuspended', message: 'Job suspended' }] },
    });
    const state = after(given(job).state, [5, 5]);
    givenState(state)
      .when(null, { after: 9 })
      .thenStatus({ startTime: at(5) });
    givenState(state)
      .when(null, { after: 15 })
      .thenStatus({ startTime: at(5) });
  });
});
