import { describe, expect, it } from '@jest/globals';
import type { JobStatus } from '../../../../workflows/kubernetes/objects.ts';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  jobObject,
} from '../../../support/builders.ts';
import { given, writtenStatus } from '../../../support/given.ts';
import { createModelCluster, deliverAll, settleDown } from '../../../support/model-cluster.ts';
import { setJob } from '../../../support/model-cluster-api.ts';
import { objectionsTo } from '../../../support/model-cluster-status.ts';

const two = { parallelism: 2, completions: 4 };
const condition = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' };
const stopped: JobStatus = { ready: 0, terminating: 0, conditions: [condition] };
const running: JobStatus = { startTime: at(-60), active: 2, ready: 0, terminating: 0 };

describe('a Job that is created suspended (J-6.40)', () => {
  it('gets the condition Suspended, but no pods and no start time', () => {
    const { verdict } = given(aJob({ ...two, suspend: true }))
      .when(null)
      .thenCommands('status', 'event Suspended');
    expect(writtenStatus(verdict)).toEqual({
      conditions: [{ ...condition, lastProbeTime: at(0), lastTransitionTime: at(0) }],
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
  });

  it('gets no further change while it stays suspended', () => {
    given(aJob({ ...two, suspend: true, status: stopped }))
      .when(null)
      .thenCommands();
  });

  it.each([{ status: 'False' }, { reason: 'Tired' }, { message: 'Good night' }])(
    'gets the condition Suspended again when another client changed it (J-6.41): %j',
    (otherwise) => {
      const status = { ...stopped, conditions: [{ ...condition, ...otherwise }] };
      given(aJob({ ...two, suspend: true, status }))
        .when(null)
        .thenCommands('status', 'event Suspended')
        .thenStatus({ conditions: [condition] })
        .thenReports('Normal Suspended: Job suspended');
    },
  );
});

describe('a running Job that is suspended (J-6.41)', () => {
  const job = given(aJob({ ...two, suspend: true, status: running }));

  it('deletes all its active pods without counting them, even more pods than one sync otherwise deletes (B-15)', () => {
    const { verdict } = job
      .and(aRunningPod(), aRunningPod())
      .under({ maxPodsPerSync: 1 })
      .when(null)
      .thenCommands('-2', 'status', 'event Suspended')
      .thenStatus({ terminating: 2 });
    expect(writtenStatus(verdict)).not.toHaveProperty('active');
    expect(writtenStatus(verdict)).not.toHaveProperty('startTime');
  });

  it('still counts pods that had finished (J-6.43)', () => {
    job
      .and(aSucceededPod(), aFailedPod())
      .when(null)
      .thenCommands('~2', 'status', 'event Suspended')
      .thenStatus({ succeeded: 1, failed: 1 });
  });

  it('can still fail by its backoffLimit', () => {
    given(aJob({ ...two, backoffLimit: 0, suspend: true, status: running }))
      .and(aFailedPod())
      .when(null)
      .thenCommands('~1', 'status', 'event BackoffLimitExceeded');
  });
});

describe('a suspended Job that is resumed (J-6.42)', () => {
  it('gets a new start time, and creates its pods in the same sync', () => {
    given(aJob({ ...two, suspend: false, status: stopped }))
      .when(null, { after: 5 })
      .thenCommands('+2', 'status', 'event Resumed')
      .thenStatus({
        active: 2,
        startTime: at(5),
        conditions: [{ type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }],
      })
      .thenReports('Normal Resumed: Job resumed');
  });

  it('retains its back-off (J-6.45)', () => {
    given(aJob({ ...two, suspend: true, status: running }))
      .and(aFailedPod({ finished: 0 }), aJob({ ...two, suspend: false, generation: 2, status: stopped }))
      .when(null, { after: 3 })
      .thenCommands('~1', 'status', 'event Resumed')
      .thenLookAgain(10);
  });
});

describe('a suspended Job at its end (J-6.49, B-10)', () => {
  const leftOver = { suspend: true, status: stopped };

  it.each([
    { end: 'succeeds', job: { parallelism: 1, completions: 1, ...leftOver }, pod: aSucceededPod() },
    {
      end: 'fails',
      job: { parallelism: 1, completions: 1, backoffLimit: 0, ...leftOver },
      pod: aFailedPod(),
    },
  ])('has a status that the API server accepts when it $end', ({ job, pod }) => {
    const { verdict } = given(aJob(job)).and(pod).when(null);
    expect(objectionsTo(jobObject(job), writtenStatus(verdict))).toEqual([]);
    expect(writtenStatus(verdict)).toMatchObject({ startTime: at(0) });
  });

  it('completes at once, without start time, when it has no work (J-6.44)', () => {
    const job = { parallelism: 1, completions: 0, suspend: true };
    const { verdict } = given(aJob(job)).when(null).thenCommands('status', 'event Completed');
    expect(writtenStatus(verdict).startTime).toBeUndefined();
    expect(writtenStatus(verdict).conditions?.map(({ type }) => type)).toEqual([
      'SuccessCriteriaMet',
      'Complete',
    ]);
    expect(objectionsTo(jobObject(job), writtenStatus(verdict))).toEqual([]);
  });
});

describe('a suspension whose status write conflicts', () => {
  it('causes its Event once, when the status is written (B-31)', async () => {
    const cluster = createModelCluster({ ...two, suspend: true }, () => 'Succeeded');
    deliverAll(cluster);
    setJob(cluster.api, jobObject({ ...two, suspend: true, version: '9000', status: { active: 9 } }));
    await settleDown(cluster);
    const reported = cluster.ledger.events.flatMap((event) =>
      event.type === 'outcome.recorded' && event.data.outcome.kind === 'EmitEvents' ? [event] : [],
    );
    expect(cluster.api.job?.status?.conditions).toMatchObject([{ type: 'Suspended', status: 'True' }]);
    expect(reported).toHaveLength(1);
  });
});

describe('a Job that is being deleted (J-6.48)', () => {
  it('is neither suspended nor resumed', () => {
    given(aJob({ ...two, suspend: true, deleting: true, status: running }))
      .and(aRunningPod(), aTerminatingPod())
      .when(null)
      .thenCommands('~2', 'status')
      .thenStatus({ active: 1, terminating: 1 });
  });
});
