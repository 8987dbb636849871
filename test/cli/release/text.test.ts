import { describe, expect, it } from '@jest/globals';
import { leftAfter, type Whereabouts } from '../../../cli/verbs/release/left.ts';
import { planOf } from '../../../cli/verbs/release/plan.ts';
import { releaseEvents } from '../../../cli/verbs/release/release-events.ts';
import { planText, releasedText } from '../../../cli/verbs/release/release-text.ts';
import { cloudEventOf, decodeEvent } from '../../../services/adapters/events/event-codec.ts';
import { levelOfEvent } from '../../../services/adapters/events/event-types.ts';
import { aSurvey, aSurveyedCronJob, aSurveyedJob, aSurveyedPod, COMPLETE, ofJob } from './a-survey.ts';

const WHERE: Whereabouts = {
  cluster: 'east',
  claim: 'managed',
  controllers: ['job'],
  lease: { namespace: 'jobledger', name: 'lease' },
  topics: ['jobledger.ledger', 'jobledger.ledger.live'],
  gangs: false,
};
const OF = { cluster: 'east', claim: 'managed', namespaces: [] };
const plan = planOf(
  aSurvey({
    pods: [
      aSurveyedPod('pi-a', {}, 'Failed'),
      aSurveyedPod('pi-b'),
      aSurveyedPod('old-a', { ownerReferences: ofJob('old') }, 'Succeeded'),
      aSurveyedPod('stray', { ownerReferences: [] }),
    ],
    jobs: [aSurveyedJob('pi'), aSurveyedJob('old', { status: COMPLETE }), aSurveyedJob('waits')],
  }),
  WHERE,
);
const LEFT = [{ what: 'the Lease', todo: 'delete it' }];

describe('the text of a dry run', () => {
  it('has each Job, each pod, and what is left', () => {
    expect(planText(plan, { of: OF, left: LEFT, hindered: [] })).toBe(
      `release of the cluster "east", claim managed; nothing is changed or recorded (--dry-run)

JOB             PODS   RUNNING   UNCOUNTED   AFTERWARDS
default/old     1      0         0           finished
default/pi      2      1         1           open: nobody controls it
default/waits   0      0         0           open: nobody controls it

the tracking finalizer would be removed from
  default/old: old-a (Succeeded)
  default/pi: pi-a (Failed, uncounted), pi-b (Running)
  without a Job: default/stray (Running)

what is left:
  the Lease: delete it`,
    );
  });

  it('begins with the reasons why it would be refused', () => {
    const text = planText(planOf(aSurvey({}), WHERE), {
      of: { ...OF, namespaces: ['a', 'b'] },
      left: LEFT,
      hindered: ['a worker polls'],
    });
    expect(text).toBe(
      `release of the cluster "east" in a, b, claim managed; nothing is changed or recorded (--dry-run)

it would be refused now:
  a worker polls

no pod has a finalizer to remove, and no Job is open

what is left:
  the Lease: delete it`,
    );
  });
});

describe('the text of a release', () => {
  it('has what was done, and the pods that keep their finalizer', () => {
    const freed = { freed: 3, gone: 1, failed: [{ pod: 'default/pi-a', reason: 'denied' }] };
    expect(releasedText(plan, { of: OF, by: 'ann', freed, left: LEFT })).toBe(
      `release of the cluster "east", claim managed, by ann: 3 pods freed, 1 gone meanwhile, 1 ended pod not counted, 2 running pods that nobody will count

1 pod not freed; run this again:
  default/pi-a: denied

what is left:
  the Lease: delete it`,
    );
  });
});

describe('what is left', () => {
  const things = (fields: Partial<Whereabouts> = {}): string[] =>
    leftAfter(plan, { ...WHERE, ...fields }).map(({ what, todo }) => `${what}: ${todo}`);

  it('are open Jobs, the Lease, what is installed, the ledger, the tables and the workflows', () => {
    expect(things()).toEqual([
      '2 open Jobs, which nobody controls: delete them, or install Jobledger again',
      'the Lease jobledger/lease: kubectl -n jobledger delete lease lease',
      expect.stringMatching(/^services, accounts, and the admission policy .*: helm uninstall/),
      expect.stringMatching(/^the ledger in Kafka: jobledger.ledger, jobledger.ledger.live: keep it/),
      expect.stringMatching(/^the tables: the schema jobledger in Postgres: keep them, or drop the schema/),
      expect.stringMatching(
        /^the workflows of open Jobs in Temporal, .* beginning with east\/: keep them to return/,
      ),
    ]);
  });

  it('is the built-in controller, off, under the claim `all`, and the gangs', () => {
    expect(things({ claim: 'all', gangs: true })).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^2 open Jobs, .*the built-in Job controller continues those that do not name/),
        'the built-in Job controller, which is off: switch it on again',
        'Workloads and PodGroups of gangs: they are deleted with their Jobs',
      ]),
    );
  });

  it('are CronJobs that start nothing, or whose Jobs nobody controls', () => {
    const cronJobs = [aSurveyedCronJob('nightly')];
    const left = (controllers: Whereabouts['controllers']): string[] =>
      leftAfter(planOf(aSurvey({ cronJobs }), { claim: 'all', controllers }), WHERE).map(({ what }) => what);
    expect(left(['job', 'cronjob'])).toContain('CronJob default/nightly, which no longer starts Jobs');
    expect(left(['job'])).toContain(
      'CronJob default/nightly, whose Jobs name Jobledger, so that nobody controls them',
    );
  });
});

describe('the events of a release', () => {
  const order = {
    release: 'r1',
    by: 'ann',
    cluster: 'east',
    claim: 'managed',
    namespaces: ['default'],
  } as const;
  const events = releaseEvents(plan, order, '2026-03-01T12:00:00.000Z');

  it('are one of each Job, then that of the cluster with the sums', () => {
    expect(events.map(({ type, subject, data }) => ({ type, subject, data }))).toEqual([
      {
        type: 'job.released',
        subject: 'default/old',
        data: {
          cluster: 'east',
          jobUid: 'job-old',
          release: 'r1',
          by: 'ann',
          pods: 1,
          running: 0,
          uncounted: 0,
          open: false,
        },
      },
      expect.objectContaining({ type: 'job.released', subject: 'default/pi' }),
      expect.objectContaining({ type: 'job.released', subject: 'default/waits' }),
      {
        type: 'cluster.released',
        subject: 'east',
        data: {
          cluster: 'east',
          release: 'r1',
          by: 'ann',
          claim: 'managed',
          namespaces: ['default'],
          jobs: 2,
          pods: 4,
          running: 2,
          uncounted: 1,
          orphans: 1,
          openJobs: 2,
          cronJobs: 0,
        },
      },
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  });

  it('are read back, and are of feature level 6', () => {
    for (const event of events) {
      expect(decodeEvent(JSON.stringify(cloudEventOf(event)))).toEqual(event);
      expect(levelOfEvent(event)).toBe(6);
    }
  });
});
