import { describe, expect, it } from '@jest/globals';
import { commandStaleness, commandPreconditions } from '../../workflows/job/definitions/preconditions.ts';
import { indexGrantIn } from '../../workflows/batch/index-grant.ts';
import { fold } from '../../workflows/job/evolve/evolve.ts';
import { jobUrgency } from '../../workflows/job/observe/urgency.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  START,
  type JobFields,
  type JobSeen,
} from '../support/builders.ts';
import { creationsIn, deletionsIn, given, writtenStatus, type Outcome } from '../support/given.ts';

const ANNOTATION = 'jobledger.dev/indexes';
const running: JobStatus = { startTime: at(-60), ready: 0, terminating: 0 };

/** A member of ten indexes, three at once, with a grant. `kept`: what its status acknowledges, with this reason. */
function aMember(
  grant: string,
  kept?: string,
  { status, annotations, reason = 'Granted', ...fields }: JobFields & { reason?: string } = {},
): JobSeen {
  const condition = { type: 'jobledger.dev/Indexes', status: 'True', reason, message: kept ?? '' };
  return aJob({
    completionMode: 'Indexed',
    parallelism: 3,
    completions: 10,
    annotations: { [ANNOTATION]: grant, ...annotations },
    status: { ...running, ...status, ...(kept !== undefined && { conditions: [condition] }) },
    ...fields,
  });
}

function created({ verdict }: Outcome): (number | undefined)[] {
  return creationsIn(verdict).map(({ index }) => index);
}

function deleted({ verdict }: Outcome): string[] {
  return deletionsIn(verdict);
}

/** What the status acknowledges after the decision; undefined when it stays as it is. */
function acknowledged(outcome: Outcome): string | undefined {
  return writtenStatus(outcome.verdict)?.conditions?.find(({ type }) => type === 'jobledger.dev/Indexes')
    ?.message;
}

describe('the grant of indexes in the annotation of a member (J-16.24)', () => {
  it.each([
    ['3:0-9,12', { number: 3, indexes: '0-9,12' }],
    ['4:', { number: 4, indexes: '' }],
    ['5:3:Failed', { number: 5, indexes: '3', end: 'Failed' }],
    ['6::Complete', { number: 6, indexes: '', end: 'Complete' }],
  ])('may be %s', (text, grant) => {
    expect(indexGrantIn(text)).toEqual(grant);
  });

  it.each([
    '',
    '3',
    ':1',
    '3:a',
    '3:5,1',
    '3:1-2',
    '3:1,2,3',
    '-1:0',
    '3: 1',
    '3:0-2147483648',
    '3::',
    '3::Suspended',
  ])('is invalid as "%s"', (text) => {
    expect(indexGrantIn(text)).toBeNull();
  });

  it('is reported as ignored when it is invalid', () => {
    expect(aJob({ annotations: { [ANNOTATION]: 'all' } }).job.annotations?.invalid).toEqual([
      `${ANNOTATION} is ignored: "all" is not the indexes that Jobledger writes on a member of a placed Job`,
    ]);
  });
});

describe('a member with a grant of indexes (J-16.24)', () => {
  it('runs these indexes only, the lowest first', () => {
    const outcome = given(aMember('1:2,5-7')).when(null);
    expect(created(outcome)).toEqual([2, 5, 6]);
    expect(acknowledged(outcome)).toBe('1:2,5-7');
  });

  it('runs no more pods than it has open indexes', () => {
    const done = { completedIndexes: '2,5', succeeded: 2 };
    given(aMember('1:2,5-7', '1:2,5-7', { status: done }))
      .and(aRunningPod({ index: 6 }))
      .when(null)
      .thenBecause(
        'J-5.13: 1 missing (index 7): 2 wanted, 1 active, 2 succeeded',
        'J-3.50: active, ready, terminating or a condition changed',
      );
  });

  it('sends no command, and is not complete, when its indexes have all succeeded', () => {
    const status = { completedIndexes: '2,5', succeeded: 2 };
    given(aMember('1:2,5', '1:2,5', { status }))
      .when(null)
      .thenCommands();
  });

  it('sends no command when its grant has no index', () => {
    given(aMember('2:', '2:')).when(null).thenCommands();
  });

  it('is complete when it was granted all indexes and all have succeeded', () => {
    const status = { completedIndexes: '0-9', succeeded: 10 };
    given(aMember('2:0-9', '2:0-9', { status }))
      .when(null)
      .thenStatus({ succeeded: 10, completionTime: at(0) });
  });

  it('runs and acknowledges more indexes when a higher number of the grant has more', () => {
    const outcome = given(aMember('2:0,1,8', '1:0,1'))
      .and(aRunningPod({ index: 0 }))
      .when(null);
    expect(created(outcome)).toEqual([1, 8]);
    expect(acknowledged(outcome)).toBe('2:0,1,8');
  });

  it('ignores a grant of indexes when it is not Indexed', () => {
    const outcome = given(aMember('1:2', undefined, { completionMode: 'NonIndexed' })).when(null);
    expect(created(outcome)).toHaveLength(3);
    expect(acknowledged(outcome)).toBeUndefined();
  });
});

describe('a Job that retries some indexes of another Job (J-16.24)', () => {
  const SIZE = { completionMode: 'Indexed', parallelism: 3, completions: 10 } as const;
  const aRetry = (grant: string, kept?: string, fields: JobFields = {}): JobSeen =>
    aMember(grant, kept, {
      reason: 'Retried',
      ...fields,
      annotations: { 'jobledger.dev/retry-of': 'earlier-uid' },
    });

  it('runs these indexes only', () => {
    const outcome = given(aRetry('1:2,5')).when(null);
    expect(created(outcome)).toEqual([2, 5]);
  });

  it('is complete when its indexes have succeeded', () => {
    given(aRetry('1:2,5', '1:2,5', { status: { completedIndexes: '2,5', succeeded: 2 } }))
      .when(null)
      .thenStatus({ succeeded: 2, completedIndexes: '2,5', completionTime: at(0) });
    given(aRetry('1:2,5', '1:2,5', { status: { completedIndexes: '2', succeeded: 1 } }))
      .and(aRunningPod({ index: 5 }))
      .when(null)
      .thenCommands('status');
  });

  it('fails when its indexes have ended and one of them has failed', () => {
    const perIndex = { backoffLimitPerIndex: 0 };
    const status = { completedIndexes: '2', succeeded: 1, failed: 1, failedIndexes: '5' };
    const outcome = given(aRetry('1:2,5', '1:2,5', { ...perIndex, status })).when(null);
    expect(writtenStatus(outcome.verdict)?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Failed', status: 'True', reason: 'FailedIndexes' }),
    );
  });

  it('is not complete by indexes outside its grant, nor with an empty grant', () => {
    const status = { completedIndexes: '0-3', succeeded: 4 };
    const other = given(aRetry('2:5', '1:0-3', { status, suspend: true })).when(null);
    expect(writtenStatus(other.verdict)).not.toHaveProperty('completionTime');
    given(aRetry('1:99', '1:99')).when(null).thenCommands();
  });

  it('is complete by its indexes even if another client removed its annotations, before or after the acknowledgement', () => {
    const done = { completedIndexes: '2,5', succeeded: 2 };
    const bare = (conditions: JobStatus['conditions'] = []): JobSeen =>
      aJob({ ...SIZE, status: { ...running, ...done, conditions } });
    const condition = { type: 'jobledger.dev/Indexes', status: 'True', message: '1:2,5' };
    const complete = { succeeded: 2, completedIndexes: '2,5', completionTime: at(0) };
    expect(
      created(
        given(aRetry('1:2,5'))
          .and(aJob({ ...SIZE, status: running }))
          .when(null),
      ),
    ).toEqual([2, 5]);
    given(aRetry('1:2,5')).and(bare()).when(null).thenStatus(complete);
    given(bare([{ ...condition, reason: 'Retried' }]))
      .when(null)
      .thenStatus(complete);
    given(bare([{ ...condition, reason: 'Granted' }]))
      .when(null)
      .thenCommands();
  });

  it('acknowledges its indexes as indexes of a retry, and no change makes them indexes of a member, or the reverse', () => {
    const acceptedReason = (outcome: Outcome): string | undefined =>
      writtenStatus(outcome.verdict)?.conditions?.find(({ type }) => type === 'jobledger.dev/Indexes')
        ?.reason;
    expect(acceptedReason(given(aRetry('1:2,5')).when(null))).toBe('Retried');
    expect(acceptedReason(given(aMember('1:2,5')).when(null))).toBe('Granted');
    const status = { completedIndexes: '2,5', succeeded: 2 };
    const later = given(aRetry('1:2,5'))
      .and(aMember('2:2,5', undefined, { status }))
      .when(null);
    expect(acceptedReason(later)).toBe('Retried');
    const edited = given(aMember('1:2,5', '1:2,5'))
      .and(aRetry('1:2,5', '1:2,5', { status }))
      .when(null);
    expect(writtenStatus(edited.verdict)).not.toHaveProperty('completionTime');
    expect(acceptedReason(edited)).toBe('Granted');
  });

  it('runs no index beyond its completions', () => {
    given(aRetry('1:2,15', '1:2,15', { status: { completedIndexes: '2', succeeded: 1 } }))
      .when(null)
      .thenStatus({ succeeded: 1, completionTime: at(0) });
  });
});

describe('indexes that the home of a placed Job takes back (J-16.24)', () => {
  it('are given back, except the indexes that have a pod, even a terminating pod', () => {
    const outcome = given(aMember('2:0', '1:0-9'))
      .and(aRunningPod({ index: 1 }), aTerminatingPod({ index: 4 }))
      .when(null);
    expect(acknowledged(outcome)).toBe('2:0,1,4');
    expect(deleted(outcome)).toEqual([]);
    expect(created(outcome)).toEqual([0, 4]);
  });

  it('stay with the member while a failed pod of the index waits for its replacement, because its failures count for the replacement', () => {
    const outcome = given(aMember('2:', '1:0-9', { backoffLimitPerIndex: 3, status: { failedIndexes: '' } }))
      .and(aFailedPod({ index: 5, finished: -1 }))
      .when(null);
    expect(acknowledged(outcome)).toBe('2:5');
  });

  it('are given back while the member is suspended, except the indexes whose pods still exist', () => {
    const outcome = given(aMember('2:', '1:0-9', { suspend: true }))
      .and(aRunningPod({ index: 3 }))
      .when(null);
    expect(acknowledged(outcome)).toBe('2:3');
    expect(deleted(outcome)).toHaveLength(1);
  });

  it('are given back only with a new number of the grant, so that an index whose pod ended later stays acknowledged', () => {
    const status = { completedIndexes: '1', succeeded: 1 };
    given(aMember('2:0', '2:0,1', { status }))
      .and(aRunningPod({ index: 0 }))
      .when(null)
      .thenStatus({ active: 1 });
    expect(
      created(
        given(aMember('2:0', '2:0,1'))
          .and(aSucceededPod({ index: 1 }), aRunningPod({ index: 0 }))
          .when(null),
      ),
    ).toEqual([]);
  });

  it('get no pod by an earlier decision, which is stale because the number of the grant has changed', () => {
    const decidedOn = commandPreconditions(aMember('1:0-9', '1:0-9').job, null);
    const { job: live } = aMember('2:', '1:0-9');
    expect(commandStaleness('CreatePods', decidedOn, live, START)).toBe(
      'the indexes are those of grant 2, decided on 1',
    );
    expect(commandStaleness('DeletePods', decidedOn, live, START)).toBeNull();
  });

  it('are reported to the workflow of the member at once', () => {
    expect(jobUrgency(aMember('1:0-9'), aMember('2:0'))).toBe('now');
  });
});

describe('the acknowledgement of a member (J-16.24)', () => {
  it('stays in force when another client removes the annotation and the condition', () => {
    const { state } = given(aMember('2:0,1', '2:0,1'));
    const without = aJob({ completionMode: 'Indexed', parallelism: 3, completions: 10, status: running });
    const outcome = given(aMember('2:0,1', '2:0,1')).and(without).when(null);
    expect(state.job?.kept).toBeUndefined();
    expect(created(outcome)).toEqual([0, 1]);
    expect(acknowledged(outcome)).toBe('2:0,1');
  });

  it('stays in force when the API server of the member is restored from an older copy, because another member may have the other indexes', () => {
    const now = fold(given(aMember('1:0-9', '1:0-9')).state, [aMember('2:0', '2:0')]);
    const older = { ...aMember('1:0-9', '1:0-9', { version: '3' }), epoch: 1 };
    const again = { ...aRunningPod({ index: 7, version: '4' }), epoch: 1 };
    const outcome = given(aMember('2:0', '2:0')).and(older, again).when(null);
    expect(now.job?.kept).toBeUndefined();
    expect(acknowledged(outcome)).toBe('2:0');
    expect(deleted(outcome)).toHaveLength(1);
    expect(created(outcome)).toEqual([]);
  });
});

describe('a member whose placed Job ends (J-16.24)', () => {
  it('fails with the placed Job: its pods are ended, and no pod is created', () => {
    const outcome = given(aMember('2::Failed', '1:0-9'))
      .and(aRunningPod({ index: 0 }))
      .when(null);
    expect(deleted(outcome)).toHaveLength(1);
    expect(created(outcome)).toEqual([]);
    outcome.thenBecause(
      'J-16.24: The placed Job has failed',
      'J-16.24: The placed Job has failed',
      'J-4.5: the Job ends',
    );
  });

  it('is complete with the placed Job, although it has not run all indexes', () => {
    const status = { completedIndexes: '0-3', succeeded: 4 };
    const outcome = given(aMember('2::Complete', '1:0-3', { status })).when(null);
    outcome.thenStatus({ succeeded: 4, completedIndexes: '0-3', completionTime: at(0) });
    expect(
      writtenStatus(outcome.verdict)?.conditions?.map(({ type, reason }) => `${type} ${reason ?? ''}`),
    ).toEqual([
      'jobledger.dev/Indexes Granted',
      'SuccessCriteriaMet PlacedJobComplete',
      'Complete PlacedJobComplete',
    ]);
    expect(acknowledged(outcome)).toBe('2::Complete');
  });

  it('fails with the placed Job also while it is suspended', () => {
    const { verdict } = given(aMember('2::Failed', '1:0-9', { suspend: true })).when(null);
    expect(writtenStatus(verdict)?.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'PlacedJobFailed',
    });
  });

  it('retains its own failure when it was failing before the placed Job ended', () => {
    const failed = {
      type: 'FailureTarget',
      status: 'True',
      reason: 'PodFailurePolicy',
      message: 'exit code 1',
    };
    const member = aMember('2::Complete', '1:0-9', { status: { conditions: [failed] } });
    const conditions = [{ ...failed }, { type: 'jobledger.dev/Indexes', status: 'True', message: '1:0-9' }];
    const seen = { ...member, job: { ...member.job, status: { ...running, conditions } } };
    const types = writtenStatus(given(seen).when(null).verdict)?.conditions?.map(({ type }) => type);
    expect(types).toEqual(['FailureTarget', 'jobledger.dev/Indexes', 'Failed']);
  });
});
