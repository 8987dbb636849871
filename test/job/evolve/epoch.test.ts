import { describe, expect, it } from '@jest/globals';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import type { Fact } from '../../../workflows/job/facts.ts';
import { jobUrgency } from '../../../workflows/job/observe/urgency.ts';
import {
  aJob,
  aRunningPod,
  aSucceededPod,
  at,
  podDeletion,
  jobDeleted,
  type JobFields,
  type PodFields,
} from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';
import { outcomeRecord, decideWithOutcomes, jobRead, successOutcome } from '../../support/outcomes.ts';

const spec = { parallelism: 1, completions: 3 };

/** A fact after the API server was restored: its version is below all that were seen. */
function restored<F extends Fact>(fact: F, epoch = 1): F {
  return { ...fact, epoch };
}

function restoredJob(fields: JobFields): Fact {
  return restored(aJob({ version: '20', ...fields }));
}

function restoredPod(fields: PodFields): Fact {
  return restored(aRunningPod({ version: '21', ...fields }));
}

/** Two pods succeeded and are counted; the third runs. */
function afterTwo() {
  const done = [aSucceededPod({ ordinal: 0 }), aSucceededPod({ ordinal: 1 })];
  const { state } = given(aJob({ ...spec, parallelism: 2 })).and(...done);
  const next = decideWithOutcomes(state, { after: 0, outcomes: (commands) => commands.map(successOutcome) });
  const counted = fold(next.state, [
    aJob({ ...spec, generation: 2, status: { succeeded: 2, active: 1, startTime: at(0) } }),
  ]);
  return counted;
}

describe('the state of a Job after the restore of an API server from an older copy', () => {
  it('gets the spec of the copy, although its version is lower than before', () => {
    const { state } = given(aJob(spec)).and(restoredJob({ ...spec, suspend: true, generation: 2 }));
    expect(state.job?.spec.suspend).toBe(true);
    expect(state.versions.job).toBe('20');
  });

  it('stays the same when the facts name no new epoch, because they look like repeats', () => {
    const job = aJob(spec);
    const { state } = given(job).and(aJob({ ...spec, suspend: true, version: '20' }));
    expect(state.versions.job).toBe(job.job.resourceVersion);
  });

  it('shows the Job as existing again when it was deleted after the copy was made, even if a pod of the Job is observed first', () => {
    const deleted = given(aJob(spec)).and(aRunningPod({}), jobDeleted());
    expect(deleted.state.jobGone).toBe(true);
    expect(deleted.and(restoredJob(spec)).state.jobGone).toBe(false);
    expect(deleted.and(restoredPod({}), restoredJob({ ...spec, version: '22' })).state.jobGone).toBe(false);
    const again = restored(jobDeleted());
    expect(deleted.and(restoredPod({}), restoredJob(spec), again).state.jobGone).toBe(true);
  });

  it('is not changed by facts of the earlier epoch, which are repeats', () => {
    const late = aJob({ ...spec, suspend: true, generation: 9 });
    const { state } = given(aJob(spec)).and(restoredJob(spec), late);
    expect(state.job?.spec.suspend).toBeUndefined();
  });

  it('retains the counts, so that the counters in the copied status are raised again', () => {
    const state = fold(afterTwo(), [restoredJob({ ...spec, status: { succeeded: 1, startTime: at(0) } })]);
    givenState(state).when(null).thenStatus({ succeeded: 2 });
  });

  it('retains completed indexes, so that only the other indexes get pods', () => {
    const indexed = { ...spec, completionMode: 'Indexed' as const };
    const before = aJob({ ...indexed, status: { completedIndexes: '0,1', succeeded: 2, startTime: at(0) } });
    const { state } = given(before).and(restoredJob({ ...indexed, status: { startTime: at(0) } }));
    const listed = decideWithOutcomes(state, {
      after: 0,
      outcomes: (commands) =>
        commands.map((each) => (each.kind === 'LookUpOrphans' ? successOutcome(each) : { kind: 'skipped' })),
    });
    const { verdict } = givenState(listed.state)
      .when(null)
      .thenCommands('+1', 'status')
      .thenStatus({ succeeded: 2, completedIndexes: '0,1' });
    const [creation] = verdict.commands;
    expect(creation).toMatchObject({ pods: [{ index: 2 }] });
  });

  it('leads again to the completion of a completed Job, although the copy of the Job still runs', () => {
    const complete = { type: 'Complete', status: 'True', lastProbeTime: at(1), lastTransitionTime: at(1) };
    const { state } = given(
      aJob({
        ...spec,
        status: { succeeded: 3, conditions: [complete], startTime: at(0), completionTime: at(1) },
      }),
    ).and(restoredJob({ ...spec, status: { active: 1, startTime: at(0) } }));
    givenState(state)
      .when(null)
      .thenCommands('status', 'event Completed')
      .thenStatus({
        succeeded: 3,
        conditions: [{ type: 'SuccessCriteriaMet' }, { type: 'Complete' }] as never,
      });
  });

  it('leads to the deletion of a pod that was counted and still runs in the copy, and does not count it again', () => {
    const state = fold(afterTwo(), [
      restoredJob({ ...spec, status: { startTime: at(0), active: 1 } }),
      restoredPod({ ordinal: 0 }),
    ]);
    givenState(state)
      .when(null)
      .thenBecause(
        'J-5.30: 2 active, 1 wanted, 1 counted before the API server was restored',
        'J-3.50: active, ready, terminating or a condition changed',
      );
    const ended = fold(state, [restored(aSucceededPod({ ordinal: 0, version: '22' }))]);
    expect(ended.uncounted).toEqual({ succeeded: [], failed: [] });
  });

  it('has the facts of the Job again when the Job was deleted after the copy was made', () => {
    const { state } = given(aJob(spec)).and(jobDeleted(), restoredJob(spec));
    expect(state.jobGone).toBe(false);
    expect(state.job).not.toBeNull();
  });

  it('has no pod any more that the copy does not have', () => {
    const pod = aRunningPod({ ordinal: 0 });
    const { state } = given(aJob(spec)).and(
      pod,
      restoredJob(spec),
      restored(podDeletion(pod, { version: '30' })),
    );
    expect(state.pods).toEqual({});
  });

  it('leads to another release of a pod when an answer from before the restore is folded after the restore', () => {
    const pod = aSucceededPod({ ordinal: 0 });
    const { state } = given(aJob({ ...spec, status: { active: 1, startTime: at(0) } })).and(pod);
    const releases = decideWithOutcomes(state, { after: 0, outcomes: () => [] });
    expect(releases.commands.map(({ kind }) => kind)).toContain('ReleasePods');
    const since = fold(releases.state, [
      restoredJob({ ...spec, status: { succeeded: 1, startTime: at(0) } }),
      restored(aSucceededPod({ ordinal: 0, version: '22' })),
      ...releases.commands.map((command, number) => outcomeRecord(number, successOutcome(command))),
    ]);
    givenState(since).when(null).thenCommands('~1', 'status');
  });

  it('does not keep the counts from before the restore after a written status has them', () => {
    const restoredState = fold(afterTwo(), [
      restoredJob({ ...spec, status: { succeeded: 1, startTime: at(0) } }),
    ]);
    const { state } = decideWithOutcomes(restoredState, {
      after: 0,
      outcomes: (commands) =>
        commands.map((command) =>
          command.kind === 'WriteStatus'
            ? {
                kind: 'WriteStatus',
                result: 'written',
                job: jobRead({ ...spec, version: '40', status: command.to }),
              }
            : successOutcome(command),
        ),
    });
    expect(state.job?.atLeast).toBeUndefined();
    expect(state.job?.status.succeeded).toBe(2);
  });

  it('is brought up to date at once by each object of the copy, even by an unchanged object', () => {
    const pod = aRunningPod({ ordinal: 0 });
    expect(jobUrgency(pod, pod)).toBe('none');
    expect(jobUrgency(pod, restored(pod))).toBe('now');
  });
});

describe('the write of a status (J-1.25)', () => {
  const known = aJob({ ...spec, version: '900', status: { startTime: at(0) } });
  const write = (...facts: Fact[]): [string, number | undefined] => {
    const { state } = given(known).and(...facts);
    const { commands } = decideWithOutcomes(state, {
      after: 0,
      outcomes: (all) => all.map(() => ({ kind: 'skipped' })),
    });
    const [found] = commands.flatMap((each) => (each.kind === 'WriteStatus' ? [each] : []));
    if (found === undefined) throw new Error('no status is written');
    return [found.resourceVersion, found.epoch];
  };

  it('names no epoch before the first restore', () => {
    expect(write(aRunningPod({ ready: true }))).toEqual(['900', undefined]);
  });

  it('names the epoch in which the Job was last observed, not the epoch of a pod that is observed before the Job', () => {
    expect(write(restoredPod({ ready: true }))).toEqual(['900', undefined]);
    expect(write(restored(aRunningPod({ version: '21', ready: true }), 2))).toEqual(['900', 1]);
    const job = restored(aJob({ ...spec, version: '850', status: { startTime: at(0) } }));
    expect(write(job, restoredPod({ ready: true }))).toEqual(['850', 1]);
  });
});
