import { describe, expect, it } from '@jest/globals';
import type { PodFailurePolicyRule } from '../../../../workflows/kubernetes/objects.ts';
import { matchFailure } from '../../../../workflows/job/definitions/failure-match.ts';
import type { PodState } from '../../../../workflows/job/state.ts';
import { aFailedPod, aJob, aRunningPod, at, type JobFields } from '../../../support/builders.ts';
import { given, givenState, writtenStatus } from '../../../support/given.ts';

const failJob: PodFailurePolicyRule = { action: 'FailJob', onExitCodes: { operator: 'In', values: [5] } };
const ignore: PodFailurePolicyRule = { action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } };

function jobWith(rules: PodFailurePolicyRule[], fields: JobFields = {}): JobFields {
  return {
    parallelism: 2,
    completions: 4,
    podReplacementPolicy: 'Failed',
    podFailurePolicy: { rules },
    status: { startTime: at(-60), ready: 0, terminating: 0 },
    ...fields,
  };
}

function actionOn(pod: Partial<PodState>, ...rules: PodFailurePolicyRule[]): string | undefined {
  return matchFailure({ podFailurePolicy: { rules } }, { created: 0, ...pod })?.action;
}

describe('the deciding rule of a pod failure policy (J-6.10)', () => {
  const exits = [{ container: 'main', code: 3 }];

  it('is the first rule that matches', () => {
    expect(actionOn({ exits }, failJob, ignore, { ...ignore, action: 'Count' })).toBe('Ignore');
  });

  it('is never a rule with an unknown action or operator', () => {
    expect(actionOn({ exits }, { ...ignore, action: 'Explode' }, ignore)).toBe('Ignore');
    const between = (...values: number[]) => ({
      action: 'FailJob',
      onExitCodes: { operator: 'Between', values },
    });
    expect(actionOn({ exits }, between(1, 9))).toBeUndefined();
    expect(actionOn({ exits }, between(1, 3, 9))).toBeUndefined();
  });

  it.each(['Count', 'FailIndex', 'FailJob', 'Ignore'])('may have the action %s', (action) => {
    expect(actionOn({ exits }, { ...ignore, action }, { ...ignore, action: 'Other' })).toBe(action);
  });

  it('matches an exit code outside its list with NotIn', () => {
    const notIn = (...values: number[]) => ({ action: 'Count', onExitCodes: { operator: 'NotIn', values } });
    expect(actionOn({ exits }, notIn(1, 2))).toBe('Count');
    expect(actionOn({ exits }, notIn(2, 3))).toBeUndefined();
  });

  it('does not exist for a pod without exit codes and conditions, and is never a rule without requirements', () => {
    const disrupted = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] };
    expect(actionOn({}, ignore, disrupted)).toBeUndefined();
    expect(
      actionOn({ conditions: [{ type: 'DisruptionTarget', status: 'True' }] }, { action: 'Ignore' }),
    ).toBe(undefined);
  });

  it('matches only the container that it names', () => {
    const named = {
      action: 'Ignore',
      onExitCodes: { containerName: 'other', operator: 'NotIn', values: [1] },
    };
    expect(actionOn({ exits }, named)).toBeUndefined();
    expect(actionOn({ exits: [...exits, { container: 'other', code: 2 }] }, named)).toBe('Ignore');
  });

  it('matches type and status of a condition', () => {
    const rule = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };
    expect(actionOn({ conditions: [{ type: 'DisruptionTarget', status: 'False' }] }, rule)).toBeUndefined();
    expect(actionOn({ conditions: [{ type: 'DisruptionTarget', status: 'True' }] }, rule)).toBe('Ignore');
    expect(actionOn({ conditions: [{ type: 'PodScheduled', status: 'True' }] }, rule)).toBeUndefined();
  });

  it('matches one of several conditions, with status True when the rule names no status (J-1.3)', () => {
    const rule = { action: 'Ignore', onPodConditions: [{ type: 'Odd' }, { type: 'DisruptionTarget' }] };
    const ready = { type: 'Ready', status: 'True' };
    expect(actionOn({ conditions: [ready, { type: 'DisruptionTarget', status: 'True' }] }, rule)).toBe(
      'Ignore',
    );
    expect(actionOn({ conditions: [ready, { type: 'DisruptionTarget', status: 'False' }] }, rule)).toBe(
      undefined,
    );
  });
});

describe('a pod whose failure is ignored (J-6.11)', () => {
  it('is released and not counted, and delays the next pod', () => {
    given(aJob(jobWith([ignore])))
      .and(aFailedPod({ exits: { main: 3 }, finished: 0 }))
      .when(null)
      .thenCommands('~1')
      .thenLookAgain(10);
  });

  it('does not end the Job, however many such pods fail (B-19)', () => {
    const pods = Array.from({ length: 9 }, () => aFailedPod({ exits: { main: 3 } }));
    const { verdict } = given(aJob(jobWith([ignore], { backoffLimit: 0 })))
      .and(...pods)
      .when(null)
      .thenCommands('+2', '~9', 'status');
    expect(writtenStatus(verdict)).not.toHaveProperty('conditions');
  });
});

describe('pods that still run when the Job fails (J-4.17)', () => {
  const disrupted = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };
  const job = aJob(jobWith([disrupted, ignore], { backoffLimit: 0, parallelism: 3 }));

  it('count as failed, except pods with an exit code or a condition that the failure policy ignores', () => {
    const { verdict } = given(job)
      .and(aFailedPod(), aRunningPod(), aRunningPod({ conditions: ['DisruptionTarget'] }))
      .and(aRunningPod({ exits: { main: 3 } }))
      .when(null);
    expect(writtenStatus(verdict)).toMatchObject({ failed: 2 });
  });
});

describe('a pod failure that fails the Job (J-3.52, J-6.12)', () => {
  const job = aJob(jobWith([failJob]));

  it('ends the Job although the pod has no finalizer any more (B-7)', () => {
    const { verdict } = given(job)
      .and(aFailedPod({ exits: { main: 5 }, untracked: true }))
      .when(null);
    expect(writtenStatus(verdict).conditions?.[0]).toMatchObject({ reason: 'PodFailurePolicy' });
  });

  it('ends the Job when the pod has failed, not when its first container has failed', () => {
    const { verdict } = given(job)
      .and(aRunningPod({ exits: { main: 5 } }))
      .when(null);
    expect(writtenStatus(verdict)).not.toHaveProperty('conditions');
  });

  it('ends the Job later when the deletion of the other pods was refused at first (B-5)', () => {
    const { state } = given(job).and(aRunningPod(), aFailedPod({ exits: { main: 5 } }));
    const refused = { errors: 1, until: Date.parse(at(5)), message: 'refused' };
    const held = givenState({ ...state, retries: { DeletePods: refused } });
    held.when(null).thenCommands('~1', 'status').thenStatus({ failed: 1, active: 1 });
    const later = givenState({ ...state, pods: {}, uncounted: { succeeded: [], failed: [] } }).when(null);
    expect(writtenStatus(later.verdict).conditions?.[0]).toMatchObject({ reason: 'PodFailurePolicy' });
  });

  it('ends the Job with a message that names the condition of the pod', () => {
    const onPodConditions = [{ type: 'DisruptionTarget', status: 'True' }];
    const message = 'Pod default/a has condition DisruptionTarget matching FailJob rule at index 1';
    given(aJob(jobWith([failJob, { action: 'FailJob', onPodConditions }])))
      .and(aFailedPod({ name: 'a', conditions: ['DisruptionTarget'] }))
      .when(null)
      .thenStatus({
        conditions: ['FailureTarget', 'Failed'].map((type) => ({
          type,
          status: 'True',
          reason: 'PodFailurePolicy',
          message,
        })),
      })
      .thenReports(`Warning PodFailurePolicy: ${message}`)
      .thenBecause(
        'J-4.11: counted now: 0 succeeded, 1 failed',
        `J-6.10: ${message}`,
        'J-7.2: the change of the status is reported',
      );
  });

  it('is the failure of the same pod in whatever order the pods were observed', () => {
    const pods = ['b', 'a'].map((name) => aFailedPod({ name, exits: { main: 5 } }));
    const message =
      'Container main for pod default/a failed with exit code 5 matching FailJob rule at index 0';
    expect(given(job).and(...pods).state.failJob?.message).toBe(message);
    const others = ['a', 'b'].map((name) => aFailedPod({ name, exits: { main: 5 } }));
    expect(given(job).and(...others).state.failJob?.message).toBe(message);
  });
});
