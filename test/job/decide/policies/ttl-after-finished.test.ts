import { isOver } from '../../../../workflows/job/decide/after-the-end.ts';
import { fold } from '../../../../workflows/job/evolve/evolve.ts';
import { decisionRecord } from '../../../../workflows/job/record/decision-record.ts';
import type { OutcomeOf } from '../../../../services/worker/activities/job/outcome-of.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../../workflows/job/settings.ts';
import type { Condition } from '../../../../workflows/kubernetes/objects.ts';
import { BUILT_IN_MANAGER } from '../../../../workflows/kubernetes/names.ts';
import {
  aJob,
  aSucceededPod,
  at,
  CLUSTER,
  JOB_UID,
  jobDeleted,
  START,
  type JobFields,
} from '../../../support/builders.ts';
import { given, givenState, type Outcome } from '../../../support/given.ts';

type AnswerToDeletion = OutcomeOf<'DeleteJob'>;

const WITH_TTL: Settings = { ...DEFAULT_SETTINGS, controllers: ['job', 'ttl'] };

function ended(seconds: number | null, type = 'Complete', status = 'True'): Condition {
  return { type, status, lastTransitionTime: seconds === null ? null : at(seconds) };
}

/** Complete at the start, to be deleted a minute later. */
function finished(fields: JobFields = {}): JobFields {
  return { ttlSecondsAfterFinished: 60, status: { conditions: [ended(0)] }, ...fields };
}

/** Complete at the start, and kept forever. */
const WITHOUT_TTL: JobFields = { status: { conditions: [ended(0)] } };

function decided(fields: JobFields, after: number, settings = WITH_TTL): Outcome {
  return given(aJob(fields)).under(settings).when(null, { after });
}

describe('a Job that Jobledger controls', () => {
  it('waits until its TTL has passed, and records the instant of its expiry (J-10.2)', () => {
    const outcome = decided(finished(), 20).thenCommands().thenLookAgain(60).thenWaitsBy('J-10.2');
    expect(outcome.verdict.waiting?.message).toBe(
      'deleted at 2026-03-01T12:01:00.000Z, 60 s after the Job finished',
    );
  });

  it('is deleted when its TTL has passed, to the second (J-10.3)', () => {
    decided(finished(), 59.999).thenCommands().thenLookAgain(60);
    const { verdict } = decided(finished(), 60).thenCommands('delete Job').thenLookAgain(null);
    expect(verdict.commands[0]).toMatchObject({
      expiredAt: START + 60_000,
      why: { rule: 'J-10.3', message: '60 s after the Job finished' },
    });
  });

  it('waits for the next attempt when the API refused its deletion (J-10.3)', () => {
    const { state } = given(aJob(finished()));
    givenState(
      { ...state, retries: { DeleteJob: { errors: 1, until: START + 70_000, message: 'no' } } },
      WITH_TTL,
    )
      .when(null, { after: 61 })
      .thenCommands()
      .thenLookAgain(70)
      .thenWaitsBy('J-3.2', 'no DeleteJob before 2026-03-01T12:01:10.000Z: 1 error of the API, the last: no');
  });

  it('is deleted at once when ttlSecondsAfterFinished is 0 (J-10.4)', () => {
    decided(finished({ ttlSecondsAfterFinished: 0 }), 0).thenCommands('delete Job');
  });

  it.each([
    { what: 'the first of two conditions', conditions: [ended(5, 'Failed'), ended(50)], again: 65 },
    {
      what: 'the first that is True',
      conditions: [ended(5, 'Failed', 'False'), ended(50), ended(55, 'Failed')],
      again: 110,
    },
    {
      what: 'Complete, not the interim one before it',
      conditions: [ended(1, 'SuccessCriteriaMet'), ended(9)],
      again: 69,
    },
    { what: 'an end in the future', conditions: [ended(3600)], again: 3660 },
  ])('counts its TTL from $what (J-10.2)', ({ conditions, again }) => {
    decided(finished({ status: { conditions } }), 0)
      .thenCommands()
      .thenLookAgain(again);
  });

  it('is not deleted when it has no finish time (J-10.2)', () => {
    decided(finished({ status: { conditions: [ended(null)] } }), 1e9)
      .thenCommands()
      .thenLookAgain(null);
  });

  it.each([
    { what: 'has no TTL', job: WITHOUT_TTL, settings: WITH_TTL },
    { what: 'is being deleted already', job: finished({ deleting: true }), settings: WITH_TTL },
    { what: 'has finished while the ttl controller is off', job: finished(), settings: DEFAULT_SETTINGS },
  ])('is not deleted when it $what (J-10.1)', ({ job, settings }) => {
    decided(job, 3600, settings).thenCommands().thenLookAgain(null).thenWaitsBy(null);
  });

  it('waits until the later expiry when its TTL is raised, and ends its wait when the TTL is removed (J-10.4)', () => {
    const job = given(aJob(finished())).under(WITH_TTL);
    job
      .and(aJob(finished({ ttlSecondsAfterFinished: 7200 })))
      .under(WITH_TTL)
      .when(null, { after: 60 })
      .thenLookAgain(7200);
    job.and(aJob(WITHOUT_TTL)).under(WITH_TTL).when(null, { after: 60 }).thenLookAgain(null);
  });

  it('releases its pods before it is deleted, because the pods would otherwise delay its deletion (J-10.5)', () => {
    const job = given(aJob(finished())).and(aSucceededPod()).under(WITH_TTL);
    job.when(null, { after: 60 }).thenCommands('~1');
    const deleting = given(aJob(finished())).and(aSucceededPod(), aJob(finished({ deleting: true })));
    deleting.under(WITH_TTL).when(null, { after: 61 }).thenCommands('~1');
  });

  it('has no timer before it has finished (J-10.1)', () => {
    decided({ ttlSecondsAfterFinished: 0, suspend: true }, 0).thenLookAgain(null);
  });
});

describe('a finished Job of another controller', () => {
  it.each(['example.com/other', BUILT_IN_MANAGER])(
    'is deleted after its TTL, and its pods are not changed: a Job with managedBy %s (J-10.4)',
    (managedBy) => {
      const job = given(aJob(finished({ managedBy }))).and(aSucceededPod());
      job.under(WITH_TTL).when(null, { after: 10 }).thenCommands().thenLookAgain(60);
      job.under(WITH_TTL).when(null, { after: 60 }).thenCommands('delete Job');
      job.under(DEFAULT_SETTINGS).when(null, { after: 60 }).thenCommands().thenLookAgain(null);
    },
  );

  it('has a workflow only while it waits for its TTL (J-10.1)', () => {
    const managedBy = 'example.com/other';
    const over = (fields: JobFields, settings = WITH_TTL): boolean =>
      isOver(given(aJob({ managedBy, ...fields })).state, settings);
    expect(over(finished())).toBe(false);
    expect(over(WITHOUT_TTL)).toBe(true);
    expect(over(finished({ deleting: true }))).toBe(true);
    expect(over(finished(), DEFAULT_SETTINGS)).toBe(true);
    const gone = given(aJob(finished({ managedBy }))).and(aSucceededPod(), jobDeleted());
    gone.under(WITH_TTL).when(null, { after: 60 }).thenCommands();
    expect(isOver(gone.state, WITH_TTL)).toBe(true);
  });

  it('is also deleted after its TTL when Jobledger is only the ttl controller (J-10.4)', () => {
    const only: Settings = { ...DEFAULT_SETTINGS, controllers: ['ttl'] };
    decided({}, 0, only).thenCommands();
    decided(finished(), 60, only).thenCommands('delete Job');
  });
});

describe('the outcome of the deletion of an expired Job', () => {
  const job = aJob(finished());

  /** A minute after its end the deletion is decided and gets this outcome; then it is decided again. */
  function answered(answer: AnswerToDeletion, after = 60): Outcome {
    const now = START + 60_000;
    const { state, verdict } = given(job).under(WITH_TTL).when(null, { after: 60 });
    const decider = { cluster: CLUSTER, jobUid: JOB_UID, subject: 'default/pi', firstRunId: 'run' };
    const { decided: decision } = decisionRecord(decider, state, verdict, now, WITH_TTL);
    const data = { cluster: CLUSTER, jobUid: JOB_UID, decision: decision.id, command: 0, attempt: 1 };
    const outcome = {
      id: `${decision.id}/0`,
      type: 'outcome.recorded' as const,
      source: '',
      subject: '',
      digest: '',
      data: { ...data, outcome: { ...answer, at: now } },
    };
    return givenState(fold(state, [decision, outcome]), WITH_TTL).when(null, { after });
  }

  it('ends the workflow when the Job was deleted (J-10.5)', () => {
    const deleting = aJob(finished({ deleting: true })).job;
    const { state } = answered({ kind: 'DeleteJob', result: 'done', job: deleting }).thenCommands();
    expect(isOver(state, WITH_TTL)).toBe(true);
  });

  it('ends the workflow when the Job was already deleted (J-10.3)', () => {
    const { state } = answered({ kind: 'DeleteJob', result: 'gone' }).thenCommands();
    expect(isOver(state, WITH_TTL)).toBe(true);
  });

  it('sets the timer again when the Job was not deleted because its TTL had been raised (J-10.3)', () => {
    const live = aJob(finished({ ttlSecondsAfterFinished: 600 })).job;
    answered({ kind: 'DeleteJob', result: 'kept', job: live }).thenCommands().thenLookAgain(600);
  });

  it('leads to another attempt a second later when the API refused the deletion (J-10.3)', () => {
    const error = { status: 403, reason: 'Forbidden', message: 'jobs is forbidden' };
    const refused = { kind: 'DeleteJob', result: 'failed', error } as const;
    answered(refused).thenCommands().thenLookAgain(61).thenWaitsBy('J-3.2');
    answered(refused, 61).thenCommands('delete Job');
  });
});
