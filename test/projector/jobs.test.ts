import { describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../workflows/job/events.ts';
import { eventRows } from '../../services/projector/projections/events.ts';
import { emptyRows, type Rows } from '../../services/projector/projections/rows.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import {
  aJob,
  after,
  answered,
  decided,
  jobDeleted,
  jobObserved,
  jobReleased,
  jobSubmitted,
  JOB_UID,
  submissionReceived,
  podObserved,
  aPod,
  START,
} from './builders.ts';

function rowsAfter(...events: JobEvent[]): Rows {
  const rows = emptyRows();
  projectAll(rows, events);
  return rows;
}

function jobAfter(...events: JobEvent[]) {
  return [...rowsAfter(...events).jobs.changed.values()][0];
}

const failedTrue = {
  type: 'Failed',
  status: 'True',
  reason: 'BackoffLimitExceeded',
  lastTransitionTime: after(50),
};

describe('the row of a Job', () => {
  it('shows spec and status of the newest version', () => {
    const job = aJob({
      version: 100,
      spec: { suspend: true, managedBy: 'jobledger.dev/job-controller', activeDeadlineSeconds: 60 },
      status: { active: 1, ready: 1, failed: 2, conditions: [{ type: 'Suspended', status: 'True' }] },
    });
    const old = jobObserved(9, aJob({ version: 99 }));
    expect(jobAfter(jobObserved(1, job), old)).toMatchObject({
      namespace: 'default',
      name: 'pi',
      status: 'Suspended',
      suspend: true,
      claimed: true,
      active_deadline_seconds: '60',
      failed: 2,
      labels: { team: 'maths' },
      resource_version: '100',
      last_seen_at: after(1),
    });
  });

  it('shows the Job as not claimed when another controller runs it', () => {
    const job = aJob({ version: 1, spec: { managedBy: 'example.com/other' } });
    expect(jobAfter(jobObserved(1, job))).toMatchObject({ claimed: false, managed_by: 'example.com/other' });
  });

  it('shows the reason to wait, and since when it applies', () => {
    const waiting = { rule: 'J-5.40', message: 'back-off after the 1st failure' } as const;
    const row = jobAfter(decided(10, 1, { waiting }), decided(15, 2, { waiting }));
    expect(row).toMatchObject({
      waiting_rule: 'J-5.40',
      waiting_since: after(10),
      decision_count: 2,
      claimed: true,
      last_decision: 'decision-2',
    });
  });

  it('counts outcomes with an error', () => {
    const error = { status: 500, reason: 'InternalError', message: 'etcd is away' };
    const outcome = { kind: 'WriteStatus', result: 'failed', error, at: START } as const;
    expect(jobAfter(decided(1, 1, {}), answered(2, 'decision-1', 0, outcome))).toMatchObject({
      failed_command_count: 1,
    });
  });

  it('shows the end and the deletion of the Job, and whether the deletion was observed', () => {
    const row = jobAfter(
      jobObserved(1, aJob({ version: 5, status: { conditions: [failedTrue] } })),
      jobDeleted({ at: 60, version: 5 }, false),
    );
    expect(row).toMatchObject({
      status: 'Failed',
      finished_at: after(50),
      deleted_at: after(60),
      deletion_seen: false,
    });
  });

  it('exists only once the Job is observed, whereas both records of its submission are rows of events', () => {
    const submissions = [submissionReceived(0), jobSubmitted(1)];
    const rows = rowsAfter(...submissions);
    const changed = Object.values(rows).filter((table) => table.changed.size > 0);
    expect(changed).toEqual([]);
    expect(jobAfter(...submissions, jobObserved(2, aJob({ version: 3 })))).toMatchObject({
      first_seen_at: after(2),
    });
    const positioned = submissions.map((event) => ({
      partition: 0,
      offset: 1n,
      event,
      version: 1,
      dataText: null,
    }));
    expect(eventRows(positioned).events).toMatchObject([
      { type: 'submission.received', namespace: 'default', job_name: 'pi', job_uid: null },
      { type: 'job.submitted', namespace: 'default', job_name: 'pi', job_uid: JOB_UID },
    ]);
  });

  it('does not change when the Job is detached', () => {
    const seen = jobObserved(2, aJob({ version: 3 }));
    expect(jobAfter(seen, jobReleased(3))).toEqual(jobAfter(seen));
    expect(rowsAfter(jobReleased(3)).jobs.changed.size).toBe(0);
  });

  it('has the series of the Job, and the time for which its CronJob scheduled it', () => {
    const job = aJob({ version: 1 });
    const ownerReferences = [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'u', controller: true },
    ];
    const annotations = { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-03-01T13:00:00+01:00' };
    const ofCronJob = { ...job, metadata: { ...job.metadata, ownerReferences, annotations } };
    expect(jobAfter(jobObserved(1, ofCronJob))).toMatchObject({
      series: 'nightly',
      scheduled_at: '2026-03-01T12:00:00.000Z',
    });
    expect(jobAfter(jobObserved(1, job))).toMatchObject({ series: 'pi', scheduled_at: null });
  });

  it('has the instant at which the first container of all its pods started', () => {
    const started = (name: string, at: number) =>
      podObserved(
        at + 2,
        aPod({
          name,
          version: at,
          status: { containerStatuses: [{ name: 'main', state: { running: { startedAt: after(at) } } }] },
        }),
      );
    expect(
      jobAfter(jobObserved(1, aJob({ version: 1 })), started('pi-b', 9), started('pi-a', 8)),
    ).toMatchObject({ first_container_started_at: after(8) });
  });

  it('has the status Unknown while only a pod of the Job has been observed', () => {
    expect(jobAfter(podObserved(1, aPod({ name: 'pi-a', version: 3 })))).toMatchObject({
      kubectl_status: 'Unknown',
    });
  });
});

describe('the recorded conditions of a Job', () => {
  it('contain each change of a condition once, and its removal', () => {
    const suspended = { type: 'Suspended', status: 'True', reason: 'JobSuspended' };
    const rows = rowsAfter(
      jobObserved(1, aJob({ version: 1, status: { conditions: [suspended] } })),
      jobObserved(2, aJob({ version: 2, status: { conditions: [suspended], active: 1 } })),
      jobObserved(3, aJob({ version: 3, status: { conditions: [{ ...suspended, status: 'False' }] } })),
      jobObserved(4, aJob({ version: 4, status: { conditions: [] } })),
      jobObserved(5, aJob({ version: 2, status: { conditions: [suspended] } })),
    );
    expect([...rows.conditions.changed.values()].map(({ status, seen_at: at }) => [status, at])).toEqual([
      ['True', after(1)],
      ['False', after(3)],
      [null, after(4)],
    ]);
  });
});

describe('a Job that is first observed through a pod without the name of the Job', () => {
  it('has its name after the Job is observed', () => {
    const pod = { ...podObserved(1, aPod({ name: 'pi-a', version: 3 })), subject: '/' };
    expect(jobAfter(pod, jobObserved(2, aJob({ version: 4 })))).toMatchObject({
      namespace: 'default',
      name: 'pi',
    });
  });
});
