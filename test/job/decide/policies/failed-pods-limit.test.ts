import { describe, expect, it } from '@jest/globals';
import { fold } from '../../../../workflows/job/evolve/evolve.ts';
import type { Outcome as CommandOutcome, PodOutcome } from '../../../../workflows/job/outcomes.ts';
import type { JobStatus } from '../../../../workflows/kubernetes/objects.ts';
import {
  aFailedPod,
  aJob,
  aSucceededPod,
  at,
  podDeletion,
  jobDeleted,
  START,
  type JobFields,
  type PodFields,
  type PodSeen,
} from '../../../support/builders.ts';
import { deletionsIn, given, givenState, type Given, type Outcome } from '../../../support/given.ts';

const NAME = 'jobledger.dev/failed-pods-limit';
const status = { startTime: at(0), ready: 0, terminating: 0, failed: 3 };

function aJobWith(limit: string | null, fields: JobFields = {}): ReturnType<typeof aJob> {
  return aJob({
    parallelism: 0,
    completions: 5,
    backoffLimit: 99,
    status,
    ...(limit !== null && { annotations: { [NAME]: limit } }),
    ...fields,
  });
}

/** Failed, counted and released. */
function aKeptPod(fields: PodFields): PodSeen {
  return aFailedPod({ untracked: true, ...fields });
}

/** Observed in another order than they finished in, and than they were created in. */
const [middle, newest, oldest] = [
  aKeptPod({ name: 'middle', created: 3, finished: 20 }),
  aKeptPod({ name: 'newest', created: 1, finished: 30 }),
  aKeptPod({ name: 'oldest', created: 5, finished: 10 }),
];

function withThree(limit: string | null, fields: JobFields = {}): Given {
  return given(aJobWith(limit, fields)).and(middle, newest, oldest);
}

function deletedBy({ verdict }: Outcome): string[] {
  return deletionsIn(verdict);
}

describe('a Job with jobledger.dev/failed-pods-limit (J-12.5)', () => {
  it('deletes the oldest failed pods beyond the limit, by finish time', () => {
    const trimmed = withThree('1').when(null);
    trimmed
      .thenCommands('×2')
      .thenBecause('J-12.5: failed pods: 3, kept by jobledger.dev/failed-pods-limit: 1');
    expect(deletedBy(trimmed)).toEqual(['oldest', 'middle']);
  });

  it('orders pods that finished in the same second by UID', () => {
    const pods = ['c', 'a', 'b'].map((name) => aKeptPod({ name, finished: 10 }));
    const trimmed = given(aJobWith('1'))
      .and(...pods)
      .when(null);
    expect(deletedBy(trimmed)).toEqual(['a', 'b']);
  });

  it('retains as many failed pods as the limit allows, whereas a Job without the annotation retains all failed pods', () => {
    expect(deletedBy(withThree('3').when(null))).toEqual([]);
    expect(deletedBy(withThree('0').when(null))).toEqual(['oldest', 'middle', 'newest']);
    expect(deletedBy(withThree(null).when(null))).toEqual([]);
    expect(withThree(null).state.keptPods).toEqual({});
  });

  it('ignores the limit under OnFailure (J-12.4), and while the Job is being deleted', () => {
    expect(deletedBy(withThree('1', { restartPolicy: 'OnFailure' }).when(null))).toEqual([]);
    expect(deletedBy(withThree('1', { deleting: true }).when(null))).toEqual([]);
  });

  it('deletes no more pods than one sync may delete', () => {
    expect(deletedBy(withThree('0').under({ maxPodsPerSync: 2 }).when(null))).toEqual(['oldest', 'middle']);
  });

  it('counts and releases a failed pod before it deletes the pod (J-12.8)', () => {
    const fresh = given(aJobWith('0')).when(aFailedPod({ name: 'fresh', finished: 40 }));
    fresh.thenCommands('~1', 'status');
    expect(deletedBy(fresh)).toEqual([]);
    const released = aKeptPod({ name: 'fresh', finished: 40 });
    expect(deletedBy(fresh.recorded().when(released))).toEqual([]);
    const counted = written(fresh, { ...status, failed: 4 });
    expect(deletedBy(givenState(fold(counted, [released])).when(null))).toEqual(['fresh']);
  });

  it('deletes neither succeeded pods nor pods of other controllers', () => {
    const strange = aKeptPod({ name: 'strange', controller: 'uid-of-another' });
    const orphan = aKeptPod({ name: 'orphan', controller: 'none', labels: {} });
    const job = given(aJobWith('0')).and(aSucceededPod({ untracked: true }), strange, orphan);
    expect(deletedBy(job.when(null))).toEqual([]);
  });

  it('never deletes the pod that waits for its replacement (J-5.50)', () => {
    const fields = { completionMode: 'Indexed', completions: 1, parallelism: 1, backoffLimitPerIndex: 3 };
    const job = aJobWith('0', fields);
    const waiting = given(job).when(aFailedPod({ index: 0, finished: 0 }), { after: 1 });
    expect(Object.keys(waiting.state.delayed)).toEqual(['0']);
    waiting.thenWaitsBy('J-5.44');
    expect(deletedBy(waiting)).toEqual([]);
  });

  it('deletes the surplus pods of a finished Job too, unless the Job is being deleted', () => {
    const conditions = [{ type: 'Failed', status: 'True', lastTransitionTime: at(40) }];
    const finished = { status: { ...status, conditions }, ttlSecondsAfterFinished: 60 };
    withThree('1', finished).when(null, { after: 50 }).thenCommands('×2');
    withThree('1', finished)
      .under({ controllers: ['job', 'ttl'] })
      .when(null, { after: 100 })
      .thenCommands('delete Job');
  });

  it('deletes pods after all other commands', () => {
    const job = withThree('1', { parallelism: 1 }).and(aSucceededPod());
    job.when(null, { after: 100 }).thenCommands('+1', '~1', 'status', '×2');
  });
});

describe('the failed pods that a Job retains (J-12.5)', () => {
  it('are removed from the state when a client deleted them', () => {
    const decided = withThree('1').when(null);
    const after = outcome(decided, {
      kind: 'DeletePods',
      untrack: false,
      at: START,
      pods: [result('oldest', 'done'), result('middle', 'gone')],
    });
    expect(Object.keys(after.keptPods)).toEqual(['uid-of-newest']);
    expect(Object.keys(fold(after, [podDeletion(newest)]).keptPods)).toEqual([]);
  });

  it('are deleted again after a wait when the API server refused the deletion (J-3.2)', () => {
    const decided = withThree('1').when(null);
    const error = { status: 403, reason: 'Forbidden', message: 'refused' };
    const pods = decided.verdict.commands.flatMap((command) =>
      command.kind === 'DeletePods' ? command.pods : [],
    );
    const after = outcome(decided, {
      kind: 'DeletePods',
      untrack: false,
      at: START,
      pods: pods.map((pod) => ({ ...pod, result: 'failed' as const, error })),
    });
    givenState(after).when(null).thenCommands().thenLookAgain(1).thenWaitsBy('J-3.2');
    givenState(after).when(null, { after: 1 }).thenCommands('×2');
  });

  it('are removed from the state by a late deletion, even when it has an old version', () => {
    const late = podDeletion(newest, { version: '1' });
    const { keptPods, folded } = fold(withThree('3').state, [late]);
    expect(Object.keys(keptPods)).toEqual(['uid-of-middle', 'uid-of-oldest']);
    expect(folded.at(-1)?.id).toBe(late.id);
  });

  it('are removed from the state when they are being deleted, when the Job is deleted, and when the limit is removed', () => {
    const dying = aKeptPod({ name: 'newest', finished: 30, deleted: 40 });
    expect(withThree('3').and(dying).state.keptPods).not.toHaveProperty('uid-of-newest');
    expect(withThree('3').and(jobDeleted()).state.keptPods).toEqual({});
    expect(withThree('3').and(aJobWith(null)).state.keptPods).toEqual({});
  });
});

function result(name: string, how: 'done' | 'gone'): PodOutcome {
  return { uid: `uid-of-${name}`, name, result: how };
}

/** The state after the outcome of the last command. */
function outcome(decided: Outcome, answer: CommandOutcome): Given['state'] {
  return withAnswer(decided, decided.verdict.commands.length - 1, answer);
}

/** The state after the status was written. */
function written(decided: Outcome, to: JobStatus): Given['state'] {
  const command = decided.verdict.commands.findIndex(({ kind }) => kind === 'WriteStatus');
  const { job } = aJobWith('0', { status: to });
  return withAnswer(decided, command, { kind: 'WriteStatus', result: 'written', job, at: START });
}

function withAnswer(decided: Outcome, command: number, answer: CommandOutcome): Given['state'] {
  const { state } = decided.recorded();
  const id = `outcome ${command}`;
  const data = {
    cluster: 'east',
    jobUid: '',
    decision: state.last?.id ?? '',
    command,
    attempt: 1,
    outcome: answer,
  };
  const envelope = { id, source: '', subject: '', digest: id };
  return fold(state, [{ ...envelope, type: 'outcome.recorded', data }]);
}
