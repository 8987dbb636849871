import { describe, expect, it } from '@jest/globals';
import { leftAfter, type Whereabouts } from '../../../cli/verbs/detach/left.ts';
import { planDetach } from '../../../cli/verbs/detach/plan.ts';
import { detachEvents } from '../../../cli/verbs/detach/detach-events.ts';
import { planText, detachedText } from '../../../cli/verbs/detach/detach-text.ts';
import { toCloudEvent, decodeEvent } from '../../../services/adapters/events/event-codec.ts';
import { PLACEMENT_FINALIZER } from '../../../workflows/kubernetes/names.ts';
import {
  aKnownMember,
  aSurvey,
  aSurveyedCronJob,
  aSurveyedJob,
  aSurveyedPlacedJob,
  aSurveyedPod,
  COMPLETE,
  ofJob,
} from './a-survey.ts';

const WHERE: Whereabouts = {
  cluster: 'east',
  claim: 'managed',
  controllers: ['job'],
  lease: { namespace: 'jobledger', name: 'lease' },
  topics: ['jobledger.ledger', 'jobledger.ledger.live'],
  gangs: false,
};
const OF = { cluster: 'east', claim: 'managed', namespaces: [] };
const plan = planDetach(
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
const placedPlan = planDetach(
  aSurvey({
    jobs: [
      aSurveyedPlacedJob('pi', { finalizers: [PLACEMENT_FINALIZER] }),
      aSurveyedPlacedJob('over', { finalizers: [PLACEMENT_FINALIZER], status: COMPLETE }),
      aSurveyedPlacedJob('waits'),
      aSurveyedJob('there', { status: COMPLETE }),
      aSurveyedJob('here'),
    ],
    members: [
      aKnownMember('west', 'pi'),
      aKnownMember('north', 'pi-m2'),
      aKnownMember('west', 'over', 'east/default/over'),
      aKnownMember('east', 'here', 'north/default/here'),
      aKnownMember('east', 'there', 'north/default/there'),
    ],
  }),
  WHERE,
);
const NOTHING = { freed: 0, gone: 0, failed: [] };

describe('the text of a dry run of a detachment', () => {
  it('lists each Job, each pod, and the objects that are left', () => {
    expect(planText(plan, { of: OF, left: LEFT, hindered: [] })).toBe(
      `detaching the cluster "east", claim managed; nothing is changed or recorded (--dry-run)

JOB             PODS   RUNNING   UNCOUNTED   AFTERWARDS
default/old     1      0         0           finished
default/pi      2      1         1           open (no controller)
default/waits   0      0         0           open (no controller)

the tracking finalizer would be removed from
  default/old: old-a (Succeeded)
  default/pi: pi-a (Failed, uncounted), pi-b (Running)
  without a Job: default/stray (Running)

what is left:
  the Lease: delete it`,
    );
  });

  it('begins with the reasons when the detachment is refused', () => {
    const text = planText(planDetach(aSurvey({}), WHERE), {
      of: { ...OF, namespaces: ['a', 'b'] },
      left: LEFT,
      hindered: ['a worker polls'],
    });
    expect(text).toBe(
      `detaching the cluster "east" in a, b, claim managed; nothing is changed or recorded (--dry-run)

the detachment would be refused now:
  a worker polls

no pod has a finalizer to remove, and no Job is open

what is left:
  the Lease: delete it`,
    );
  });
});

describe('the text of a dry run with placed Jobs', () => {
  it('lists the plan for the placed Jobs, and their members in all clusters', () => {
    const text = planText(placedPlan, { of: OF, left: LEFT, hindered: [] });
    expect(text).toContain(
      `PLACED JOB      AFTERWARDS             MEMBERS
default/over    finished               west/default/over
default/pi      open (no controller)   north/default/pi-m2, west/default/pi
default/waits   open (no controller)

the finalizer jobledger.dev/placement would be removed from
  default/over
  default/pi
`,
    );
  });

  it('lists the remaining objects of each Job, and the members whose home is another cluster', () => {
    const left = leftAfter(placedPlan, WHERE).map(({ what, todo }) => `${what}: ${todo}`);
    expect(left.slice(1, 6)).toEqual([
      'placed Job default/over, which has finished, and its members west/default/over: no controller deletes the members with the placed Job: delete all of them, when you no longer need the logs',
      'placed Job default/pi, which has no controller, and its members north/default/pi-m2, west/default/pi: no controller deletes the members with the placed Job: delete all of them, or install Jobledger again',
      'placed Job default/waits, which has no controller: delete it, or install Jobledger again',
      'Job default/here, an open member of the placed Job north/default/here: run "jobledger clusters drain east --wait" before the detachment, so that the placed Job moves; or "jobledger clusters lost east --force" once its pods have ended',
      'Job default/there, a finished member of the placed Job north/default/there: the home of the placed Job deletes it, as long as its workers reach this cluster',
    ]);
  });
});

describe('the report of a detachment', () => {
  it('lists the changes, and the pods that keep their finalizer', () => {
    const freed = { freed: 3, gone: 1, failed: [{ pod: 'default/pi-a', reason: 'denied' }] };
    expect(detachedText(plan, { of: OF, by: 'ann', freed, placed: NOTHING, left: LEFT })).toBe(
      `detaching the cluster "east", claim managed, by ann: 3 pods freed, 1 gone since the plan was made, 1 ended pod not counted, 2 running pods that no controller will count

1 pod not freed; run "jobledger admin detach" again:
  default/pi-a: denied

what is left:
  the Lease: delete it`,
    );
  });
});

describe('the report of a detachment with placed Jobs', () => {
  it('gives the number of freed Jobs, and lists the Jobs that keep their finalizer', () => {
    const placed = { freed: 1, gone: 0, failed: [{ job: 'default/pi', reason: 'denied' }] };
    const text = detachedText(placedPlan, { of: OF, by: 'ann', freed: NOTHING, placed, left: LEFT });
    expect(text).toContain('by ann: 0 pods freed, 0 ended pods not counted, 0 running pods');
    expect(text).toContain(
      `, 1 placed Job freed

1 placed Job not freed; run "jobledger admin detach" again:
  default/pi: denied
`,
    );
  });
});

describe('the list of the objects that a detachment leaves', () => {
  const things = (fields: Partial<Whereabouts> = {}): string[] =>
    leftAfter(plan, { ...WHERE, ...fields }).map(({ what, todo }) => `${what}: ${todo}`);

  it('contains open Jobs, the Lease, installed objects, the ledger, the tables and the workflows', () => {
    expect(things()).toEqual([
      '2 open Jobs without a controller: delete them, or install Jobledger again',
      'the Lease jobledger/lease: kubectl -n jobledger delete lease lease',
      expect.stringMatching(/^services, accounts, and the admission policy .*: run helm uninstall/),
      expect.stringMatching(
        /^the ledger in Kafka: jobledger.ledger, jobledger.ledger.live: keep these topics/,
      ),
      expect.stringMatching(/^the tables: the schema jobledger in Postgres: keep them, or drop the schema/),
      expect.stringMatching(
        /^the waiting workflows of open Jobs in Temporal, .* begin with east\/: keep them if you/,
      ),
    ]);
  });

  it('contains the switched-off built-in controller under the claim `all`, and the gangs', () => {
    expect(things({ claim: 'all', gangs: true })).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^2 open Jobs .*the built-in Job controller is switched on again, it continues the Jobs that do not name/,
        ),
        'the built-in Job controller, which is switched off: switch it on again',
        'Workloads and PodGroups of gangs: they are deleted with their Jobs',
      ]),
    );
  });

  it('contains CronJobs that start nothing, or whose Jobs no controller runs', () => {
    const cronJobs = [aSurveyedCronJob('nightly')];
    const left = (controllers: Whereabouts['controllers']): string[] =>
      leftAfter(planDetach(aSurvey({ cronJobs }), { claim: 'all', controllers }), WHERE).map(
        ({ what }) => what,
      );
    expect(left(['job', 'cronjob'])).toContain('CronJob default/nightly, which starts no more Jobs');
    expect(left(['job'])).toContain(
      'CronJob default/nightly, whose Jobs name Jobledger and therefore have no controller',
    );
  });
});

describe('the recorded events of a detachment', () => {
  const order = {
    detachment: 'r1',
    by: 'ann',
    cluster: 'east',
    claim: 'managed',
    namespaces: ['default'],
  } as const;
  const events = detachEvents(plan, order, '2026-03-01T12:00:00.000Z');

  it('are one event for each Job, then one event for the cluster with the sums', () => {
    expect(events.map(({ type, subject, data }) => ({ type, subject, data }))).toEqual([
      {
        type: 'job.detached',
        subject: 'default/old',
        data: {
          cluster: 'east',
          jobUid: 'job-old',
          detachment: 'r1',
          by: 'ann',
          podCount: 1,
          runningPodCount: 0,
          uncountedPodCount: 0,
          open: false,
        },
      },
      expect.objectContaining({ type: 'job.detached', subject: 'default/pi' }),
      expect.objectContaining({ type: 'job.detached', subject: 'default/waits' }),
      {
        type: 'cluster.detached',
        subject: 'east',
        data: {
          cluster: 'east',
          detachment: 'r1',
          by: 'ann',
          claim: 'managed',
          namespaces: ['default'],
          jobCount: 2,
          podCount: 4,
          runningPodCount: 2,
          uncountedPodCount: 1,
          orphanCount: 1,
          openJobCount: 2,
          cronJobCount: 0,
          placedJobCount: 0,
        },
      },
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  });

  it('are read back as they were written', () => {
    for (const event of events) {
      expect(decodeEvent(JSON.stringify(toCloudEvent(event)))).toEqual(event);
    }
  });
});
