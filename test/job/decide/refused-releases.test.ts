import { describe, expect, it } from '@jest/globals';
import type { Command } from '../../../workflows/job/commands.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import { aFailedPod, aJob, aSucceededPod } from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';
import { decideWithOutcomes, successOutcome, type AnOutcome } from '../../support/outcomes.ts';

const DENIED = { status: 422, reason: 'Invalid', message: 'ValidatingAdmissionPolicy "no" denied request' };

/** Releases of this pod are refused, and what follows in the decision is skipped. */
function refusing(uid: string) {
  return (commands: readonly Command[]): AnOutcome[] => {
    const outcomes: AnOutcome[] = [];
    let hasFailed = false;
    for (const command of commands) {
      if (hasFailed) outcomes.push({ kind: 'skipped' });
      else if (command.kind !== 'ReleasePods') outcomes.push(successOutcome(command));
      else {
        hasFailed = command.pods.some((pod) => pod.uid === uid);
        const pods = command.pods.map((pod) =>
          pod.uid === uid
            ? { ...pod, result: 'failed' as const, error: DENIED }
            : { ...pod, result: 'done' as const, resourceVersion: '999' },
        );
        outcomes.push({ kind: 'ReleasePods', pods });
      }
    }
    return outcomes;
  };
}

/** Decides until there is nothing to do at that instant. */
function settle(state: JobState, after: number, uid: string): JobState {
  let now = state;
  for (let count = 0; count < 10; count += 1) {
    const next = decideWithOutcomes(now, { after, outcomes: refusing(uid) });
    now = next.state;
    if (next.commands.length === 0) return now;
  }
  throw new Error('no rest');
}

describe('an admission policy that refuses the release of one pod', () => {
  const denied = aSucceededPod({ ordinal: 0 });
  const other = aSucceededPod({ ordinal: 1 });
  const job = aJob({ parallelism: 2, completions: 2 });
  const { state } = given(job).and(denied, other);
  const settled = settle(state, 0, denied.pod.uid);

  it('does not prevent the count of other pods', () => {
    expect(settled.job?.status).toMatchObject({ succeeded: 1 });
    expect(settled.uncounted.succeeded).toEqual([denied.pod.uid]);
  });

  it('is named in the reason to wait, and a second later the release is attempted again', () => {
    givenState(settled)
      .when(null)
      .thenCommands()
      .thenWaitsBy(
        'J-3.2',
        `no ReleasePods before 2026-03-01T12:00:01.000Z: 1 error of the API, the last: ${DENIED.message}`,
      )
      .thenLookAgain(1);
  });

  it('receives fewer and fewer requests, at least one a minute', () => {
    let now = settled;
    let after = 0;
    const pauses: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const { verdict } = givenState(now).when(null, { after });
      const next = ((verdict.nextDecisionAt ?? 0) - Date.parse('2026-03-01T12:00:00Z')) / 1000;
      pauses.push(next - after);
      after = next;
      now = settle(now, after, denied.pod.uid);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('delays the count of the pod by a minute at most after the policy allows the release', () => {
    const repaired = decideWithOutcomes(settled, {
      after: 60,
      outcomes: (commands) => commands.map(successOutcome),
    });
    expect(repaired.commands.map(({ kind }) => kind)).toEqual(['ReleasePods']);
    givenState(repaired.state)
      .when(null, { after: 60 })
      .thenCommands('status', 'event Completed')
      .thenStatus({ succeeded: 2 });
  });

  it('prevents the end of the Job until the pod is released', () => {
    const last = given(aJob({ parallelism: 1, completions: 1 })).and(denied);
    const held = settle(last.state, 0, denied.pod.uid);
    expect(held.job?.status.conditions ?? []).not.toContainEqual(
      expect.objectContaining({ type: 'Complete' }),
    );
    const repaired = decideWithOutcomes(held, {
      after: 60,
      outcomes: (commands) => commands.map(successOutcome),
    });
    givenState(repaired.state)
      .when(null, { after: 60 })
      .thenCommands('status', 'event Completed')
      .thenStatus({ succeeded: 1 });
  });

  it('does not prevent the count of other failed pods, so that backoffLimit is exceeded', () => {
    const failed = [aFailedPod({ ordinal: 0 }), aFailedPod({ ordinal: 1 })];
    const { state: both } = given(aJob({ parallelism: 2, completions: 2, backoffLimit: 0 })).and(...failed);
    const after = settle(both, 0, failed[0]?.pod.uid ?? '');
    expect(after.job?.status).toMatchObject({ failed: 1 });
  });
});
