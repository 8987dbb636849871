import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../../workflows/job/outcomes.ts';
import { fold } from '../../../../workflows/job/evolve/evolve.ts';
import type { JobState } from '../../../../workflows/job/state.ts';
import {
  at,
  aFailedPod,
  aJob,
  aRunningPod,
  aSucceededPod,
  jobDeleted,
  type JobFields,
} from '../../../support/builders.ts';
import { given, givenState } from '../../../support/given.ts';
import { decideWithOutcomes } from '../../../support/outcomes.ts';

const SPEC = { parallelism: 2, completions: 2, completionMode: 'Indexed' as const };
const RESUMED = { ...SPEC, generation: 1, version: '20' };
const LATER = { after: 30 };

const FORBIDDEN = { status: 403, reason: 'Forbidden', message: 'no right to list pods' };

function restored(fields: JobFields) {
  return { ...aJob({ version: '20', ...fields }), epoch: 1 };
}

/** The Job was suspended, without a pod; in the copy it runs. */
function afterTheRestore(): JobState {
  return given(aJob({ ...SPEC, suspend: true, generation: 2 })).and(restored(RESUMED)).state;
}

function listed(
  orphans: Extract<Outcome, { kind: 'LookUpOrphans'; result: 'done' }>['orphans'],
  more = false,
) {
  return () => [{ kind: 'LookUpOrphans' as const, result: 'done' as const, orphans, more }];
}

describe('a Job whose API server was restored from an older copy (BR-61, J-3.30)', () => {
  it('lists its pods before it creates a pod', () => {
    givenState(afterTheRestore()).when(null, LATER).thenCommands('look up orphans', 'status');
  });

  it('creates no pod for an index whose pod the list shows, running or ended', () => {
    const pods = [aRunningPod({ ordinal: 0, index: 0 }), aSucceededPod({ ordinal: 1, index: 1 })];
    const { state } = decideWithOutcomes(afterTheRestore(), {
      after: 30,
      outcomes: listed(pods.map(({ pod }) => pod)),
    });
    const { verdict } = givenState(state).when(null, LATER);
    expect(verdict.commands.map(({ kind }) => kind)).not.toContain('CreatePods');
    // The watch shows how the second one has ended.
    const seen = fold(
      state,
      pods.map((each) => ({ ...each, epoch: 1 })),
    );
    expect(Object.values(seen.pods).map(({ phase }) => phase ?? 'Running')).toEqual(['Running', 'Succeeded']);
  });

  it('reads at growing intervals a listed pod that has ended and is not observed for a minute', () => {
    const { pod } = aSucceededPod({ ordinal: 0, index: 0 });
    const other = aRunningPod({ ordinal: 1, index: 1 });
    const { state } = decideWithOutcomes(afterTheRestore(), {
      after: 30,
      outcomes: listed([pod, other.pod]),
    });
    const seen = fold(state, [{ ...other, epoch: 1 }]);
    const read = decideWithOutcomes(seen, {
      after: 90,
      outcomes: () => [{ kind: 'LookUpPods', pods: [{ uid: pod.uid, name: pod.name, pod }] }],
    });
    expect(read.commands.map(({ kind }) => kind)).toEqual(['LookUpPods']);
    const { verdict } = givenState(read.state).when(null, { after: 90 });
    expect(verdict.commands.map(({ kind }) => kind)).not.toContain('LookUpPods');
  });

  it('creates the pods that the list does not show', () => {
    const { state } = decideWithOutcomes(afterTheRestore(), { after: 30, outcomes: listed([]) });
    givenState(state).when(null, LATER).thenCommands('+2', 'status');
  });

  it('continues the list after the last name while the list has more pods', () => {
    const one = aRunningPod({ ordinal: 0, index: 0 });
    const { state } = decideWithOutcomes(afterTheRestore(), { after: 30, outcomes: listed([one.pod], true) });
    const { verdict } = givenState(state).when(null, LATER).thenCommands('look up orphans', 'status');
    expect(verdict.commands[0]).toMatchObject({ kind: 'LookUpOrphans', own: { after: one.pod.name } });
  });

  it.each([
    ['of Jobledger', { ordinal: 3, index: 0 }],
    ['of the built-in controller', { name: 'pi-0-x7k2p', index: 0 }],
    ['that was adopted', { name: 'worker-a', index: 0 }],
  ])('replaces a listed pod that had failed and been released: a pod %s', (_whose, named) => {
    const failed = aFailedPod({ ...named, untracked: true });
    const state = fold(afterTheRestore(), [{ ...failed, epoch: 1 }]);
    const { state: after } = decideWithOutcomes(state, { after: 30, outcomes: listed([failed.pod]) });
    givenState(after).when(null, LATER).thenCommands('+2', 'status');
    expect(after.pods).toEqual({});
  });

  it('counts ended pods, and ends at its deadline, while the list is refused', () => {
    const job = { ...RESUMED, completions: 3, activeDeadlineSeconds: 40, status: { startTime: at(0) } };
    const before = given(aJob({ ...job, version: '1', suspend: true, status: {} })).and(restored(job));
    const done = { ...aSucceededPod({ ordinal: 0, index: 0 }), epoch: 1 };
    const { state } = decideWithOutcomes(before.and(done).state, {
      after: 30,
      outcomes: (commands) =>
        commands.map(({ kind }) =>
          kind === 'LookUpOrphans'
            ? { kind, result: 'failed' as const, error: FORBIDDEN }
            : { kind: 'skipped' },
        ),
    });
    const held = givenState(state).when(null, { after: 30.5 }).thenCommands('~1', 'status');
    held.thenStatus({ succeeded: 1, completedIndexes: '0' }).thenWaitsBy('J-3.2').thenLookAgain(31);
    givenState(state)
      .when(null, { after: 41 })
      .thenStatus({ succeeded: 1, completedIndexes: '0' })
      .thenReports('Warning DeadlineExceeded: Job was active longer than specified deadline');
  });

  it('lists its pods again after the next restore', () => {
    const { state } = decideWithOutcomes(afterTheRestore(), { after: 30, outcomes: listed([]) });
    const again = fold(state, [{ ...restored({ ...RESUMED, version: '19' }), epoch: 2 }]);
    givenState(again).when(null, LATER).thenCommands('look up orphans', 'status');
  });

  it('lists no pods when it is new, or has ended, or is deleted', () => {
    const { verdict } = given(restored(SPEC)).when(null, LATER);
    expect(verdict.commands.map(({ kind }) => kind)).toContain('CreatePods');
    const ended = restored({
      ...SPEC,
      status: { conditions: [{ type: 'Complete', status: 'True', message: '' }] },
    });
    expect(given(aJob(SPEC)).and(ended).when(null, LATER).verdict.commands).toEqual([]);
    expect(
      given(aJob(SPEC))
        .and({ ...jobDeleted(), epoch: 1 })
        .when(null, LATER).verdict.commands,
    ).toEqual([]);
  });
});
