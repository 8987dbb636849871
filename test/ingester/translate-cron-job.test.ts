import { describe, expect, it } from '@jest/globals';
import { applyChange, emptyLiveSet, type LiveSet } from '../../services/ingester/live-set/live-set.ts';
import {
  translateCronJobDeletion,
  translateCronJob,
  addChildDeleted,
  addChildObserved,
} from '../../services/ingester/translate/translate-cron-job.ts';
import {
  translateJobDeletion,
  translateJob,
  type AnyTranslated,
  type TranslationScope,
} from '../../services/ingester/translate/translate.ts';
import type { CronJob, Job } from '../../workflows/kubernetes/objects.ts';
import { REDACTION } from '../support/redaction.ts';

const scope: TranslationScope = {
  cluster: 'east',
  claim: 'all',
  redaction: REDACTION,
  cronJobs: true,
};
const time = '2026-01-01T00:00:00.000Z';
const metadata = (name: string, uid: string, resourceVersion: string): CronJob['metadata'] => ({
  name,
  namespace: 'default',
  uid,
  resourceVersion,
  creationTimestamp: '2026-01-01T00:00:00Z',
});

function aCronJob(): CronJob {
  const container = { name: 'main', env: [{ name: 'PASSWORD', value: 'hunter2' }] };
  return {
    metadata: metadata('tick', 'cron-1', '7'),
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { containers: [container] } } } },
    },
    status: {},
  };
}

function aChild(owner: { kind?: string; uid?: string; apiVersion?: string } | null = {}): Job {
  const reference = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    name: 'tick',
    uid: 'cron-1',
    controller: true,
  };
  return {
    metadata: {
      ...metadata('tick-1', 'job-1', '9'),
      ...(owner !== null && { ownerReferences: [{ ...reference, ...owner }] }),
    },
    spec: {},
  };
}

function eventIds({ events }: AnyTranslated): string[] {
  return events.map(({ id }) => id);
}

function observed(live: LiveSet, job: Job, listedAt?: string, as = scope): AnyTranslated {
  return addChildObserved(as, live, job, translateJob(as, job, time), { time, listedAt });
}

function liveWith(...translated: AnyTranslated[]): LiveSet {
  const live = emptyLiveSet();
  for (const { changes } of translated) for (const change of changes) applyChange(live, change);
  return live;
}

describe('a CronJob in the ingester', () => {
  it('is recorded by version, and remains in the live set until it is deleted', () => {
    const seen = translateCronJob(scope, aCronJob(), time);
    expect(seen.events).toMatchObject([
      { id: 'east/cronjob/cron-1/7', subject: 'default/tick', data: { cronJobUid: 'cron-1' } },
    ]);
    const live = liveWith(seen);
    expect([...live.cronjobs.keys()]).toEqual(['cron-1']);
    const gone = translateCronJobDeletion(scope, live, 'cron-1', {
      cronJob: aCronJob(),
      resourceVersion: '8',
      time,
    });
    expect(gone.events).toMatchObject([{ id: 'east/cronjob/cron-1/8/deleted', data: { seen: true } }]);
    for (const change of gone.changes) applyChange(live, change);
    expect(live.cronjobs.size).toBe(0);
  });

  it('is recorded as deleted, under its name from the live set, when the watch missed the deletion', () => {
    const live = liveWith(translateCronJob(scope, aCronJob(), time));
    expect(
      translateCronJobDeletion(scope, live, 'cron-1', { resourceVersion: '8', time }).events,
    ).toMatchObject([{ id: 'east/cronjob/cron-1/gone', subject: 'default/tick', data: { seen: false } }]);
  });

  it('has no literal value of a variable in the ledger', () => {
    expect(JSON.stringify(translateCronJob(scope, aCronJob(), time).events)).not.toContain('hunter2');
    const gone = translateCronJobDeletion(scope, emptyLiveSet(), 'cron-1', {
      cronJob: aCronJob(),
      resourceVersion: '8',
      time,
    });
    expect(JSON.stringify(gone.events)).not.toContain('hunter2');
  });
});

describe('a Job of a CronJob', () => {
  it('is recorded in its own stream and in the stream of the CronJob (J-9.12)', () => {
    expect(eventIds(observed(emptyLiveSet(), aChild()))).toEqual([
      'east/job/job-1/9',
      'east/job/job-1/9/cron-1',
    ]);
  });

  it('is recorded with another id when it is read from a list, because its content differs', () => {
    expect(eventIds(observed(emptyLiveSet(), aChild(), '12'))[1]).toBe('east/job/job-1/9/cron-1/listed/12');
  });

  it('is also recorded in the stream of its former CronJob (J-9.12)', () => {
    const live = liveWith(observed(emptyLiveSet(), aChild()));
    expect(eventIds(observed(live, aChild(null)))).toContain('east/job/job-1/9/cron-1');
    const moved = eventIds(observed(live, aChild({ uid: 'cron-2' })));
    expect(moved).toEqual(expect.arrayContaining(['east/job/job-1/9/cron-1', 'east/job/job-1/9/cron-2']));
  });

  it.each([
    ['is controlled by an object of another kind', { kind: 'Workflow' }],
    ['is controlled by a CronJob of another API group', { apiVersion: 'example.com/v1' }],
  ])('is not recorded as a Job of the CronJob when it %s', (_words, owner) => {
    expect(eventIds(observed(emptyLiveSet(), aChild(owner)))).toEqual(['east/job/job-1/9']);
  });

  it('is recorded only in its own stream while CronJobs are not recorded', () => {
    const { cronJobs: _cronJobs, ...without } = scope;
    expect(eventIds(observed(emptyLiveSet(), aChild(), undefined, without))).toEqual(['east/job/job-1/9']);
  });

  it('is recorded as deleted in both streams, whether the watch reported the deletion or not', () => {
    const live = liveWith(observed(emptyLiveSet(), aChild()));
    const deleted = (job?: Job): AnyTranslated => {
      const at = { resourceVersion: '10', time, ...(job !== undefined && { job }) };
      return addChildDeleted(scope, live, 'job-1', translateJobDeletion(scope, live, 'job-1', at), at);
    };
    expect(eventIds(deleted(aChild()))).toEqual([
      'east/job/job-1/10/deleted',
      'east/job/job-1/10/deleted/cron-1',
    ]);
    expect(eventIds(deleted())).toEqual(['east/job/job-1/gone', 'east/job/job-1/gone/cron-1']);
    expect(deleted().events[1]).toMatchObject({ data: { childName: 'tick-1', seen: false } });
  });
});
