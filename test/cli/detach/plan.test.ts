import { describe, expect, it } from '@jest/globals';
import { planDetach, sumPlan, type DetachPlan } from '../../../cli/verbs/detach/plan.ts';
import type { Controlled, SurveyedJob, SurveyedPod } from '../../../cli/verbs/detach/surveyed.ts';
import {
  BUILT_IN_MANAGER,
  PLACEMENT_FINALIZER,
  RESERVED_FINALIZER,
} from '../../../workflows/kubernetes/names.ts';
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

const MANAGED: Controlled = { claim: 'managed', controllers: ['job'] };
const ALL: Controlled = { claim: 'all', controllers: ['job'] };
const [OURS, RESERVED] = [{}, { finalizers: [RESERVED_FINALIZER] }];

function plannedFate(pod: SurveyedPod, jobs: readonly SurveyedJob[], controlled = MANAGED): string {
  const { jobs: planned, orphans, kept } = planDetach(aSurvey({ pods: [pod], jobs }), controlled);
  if (planned.some(({ pods }) => pods.length > 0)) return 'freed';
  if (orphans.length > 0) return 'freed as an orphan';
  return kept.length > 0 ? 'kept' : 'not touched';
}

const ourJob = aSurveyedJob('pi');
const builtIns = { ...aSurveyedJob('pi'), managedBy: undefined };
const anothers = aSurveyedJob('pi', { managedBy: 'example.com/controller' });

describe('the finalizer of a pod under the claim `managed`', () => {
  it.each<[string, string, SurveyedPod, SurveyedJob[]]>([
    ['freed', 'of Jobledger, on a pod of a Job of Jobledger', aSurveyedPod('a'), [ourJob]],
    [
      'freed',
      'with the reserved name, on a pod of a Job of Jobledger',
      aSurveyedPod('a', RESERVED),
      [ourJob],
    ],
    ['not touched', 'of another program', aSurveyedPod('a', { finalizers: ['x/y'] }), [ourJob]],
    [
      'not touched',
      'with the reserved name, on a pod of the built-in controller',
      aSurveyedPod('a', RESERVED),
      [builtIns],
    ],
    [
      'not touched',
      'with the reserved name, on a pod of a Job of another controller',
      aSurveyedPod('a', RESERVED),
      [anothers],
    ],
    ['kept', 'of Jobledger, on a pod of a Job of another controller', aSurveyedPod('a', OURS), [anothers]],
    ['freed as an orphan', 'of Jobledger, on a pod whose Job is gone', aSurveyedPod('a'), []],
    ['not touched', 'with the reserved name, on a pod whose Job is gone', aSurveyedPod('a', RESERVED), []],
    [
      'freed as an orphan',
      'of Jobledger, on a pod without a controller',
      aSurveyedPod('a', { ownerReferences: [] }),
      [ourJob],
    ],
    [
      'not touched',
      'with the reserved name, on a pod without a controller',
      aSurveyedPod('a', { ...RESERVED, ownerReferences: [] }),
      [ourJob],
    ],
    [
      'not touched',
      'with the reserved name, on a pod of a ReplicaSet with the UID of a Job of Jobledger',
      aSurveyedPod('a', {
        ...RESERVED,
        ownerReferences: ofJob('pi', { kind: 'ReplicaSet', apiVersion: 'apps/v1' }),
      }),
      [ourJob],
    ],
    [
      'kept',
      'of Jobledger, on a pod of a ReplicaSet',
      aSurveyedPod('a', { ownerReferences: ofJob('pi', { kind: 'ReplicaSet', apiVersion: 'apps/v1' }) }),
      [ourJob],
    ],
    [
      'not touched',
      'with the reserved name, on a pod that names a Job of Jobledger from another namespace',
      aSurveyedPod('a', { ...RESERVED, namespace: 'other' }),
      [ourJob],
    ],
    [
      'not touched',
      'with the reserved name, on a pod that names a Job of Jobledger by a wrong name',
      aSurveyedPod('a', { ...RESERVED, ownerReferences: ofJob('pi', { name: 'e' }) }),
      [ourJob],
    ],
    [
      'not touched',
      'with the reserved name, on a pod of an earlier Job of the same name',
      aSurveyedPod('a', { ...RESERVED, ownerReferences: ofJob('pi', { uid: 'earlier' }) }),
      [ourJob],
    ],
  ])('is planned to be "%s": a finalizer %s', (fate, _when, pod, jobs) => {
    expect(plannedFate(pod, jobs)).toBe(fate);
  });
});

describe('the finalizer of a pod under the claim `all`', () => {
  it.each<[string, string, SurveyedPod, SurveyedJob[]]>([
    [
      'freed',
      'with the reserved name, on a pod of a Job without managedBy',
      aSurveyedPod('a', RESERVED),
      [builtIns],
    ],
    [
      'freed',
      'with the reserved name, on a pod of a Job that names the built-in controller',
      aSurveyedPod('a', RESERVED),
      [aSurveyedJob('pi', { managedBy: BUILT_IN_MANAGER })],
    ],
    [
      'freed as an orphan',
      'with the reserved name, on a pod whose Job is gone',
      aSurveyedPod('a', RESERVED),
      [],
    ],
    [
      'kept',
      'with the reserved name, on a pod of a Job of another controller',
      aSurveyedPod('a', RESERVED),
      [anothers],
    ],
  ])('is planned to be "%s": a finalizer %s', (fate, _when, pod, jobs) => {
    expect(plannedFate(pod, jobs, ALL)).toBe(fate);
  });
});

describe('the plan of a detachment for the Jobs of a cluster', () => {
  const plan = (jobs: SurveyedJob[], pods: SurveyedPod[]): DetachPlan =>
    planDetach(aSurvey({ pods, jobs }), MANAGED);

  it('shows how many pods run, and how many ended pods no status has counted', () => {
    const status = { uncountedTerminatedPods: { succeeded: ['gone-1', 'pod-b'], failed: ['gone-2'] } };
    const pods = [
      aSurveyedPod('c', {}, 'Pending'),
      aSurveyedPod('b', {}, 'Succeeded'),
      aSurveyedPod('a', {}, 'Failed'),
    ];
    const { jobs } = plan([aSurveyedJob('pi', { status })], pods);
    expect(jobs).toMatchObject([
      { name: 'pi', runningPodCount: 1, uncountedPodCount: 4, open: true, deleting: false },
    ]);
    expect(jobs[0]?.pods.map(({ name, ended }) => [name, ended])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
    ]);
  });

  it('lists each open Job, and a finished Job only when it still has pods, which do not count as uncounted', () => {
    const finished = { status: COMPLETE };
    const jobs = [aSurveyedJob('waits'), aSurveyedJob('over', finished), aSurveyedJob('pi', finished)];
    expect(plan(jobs, [aSurveyedPod('a', {}, 'Succeeded')]).jobs).toMatchObject([
      { name: 'pi', open: false, uncountedPodCount: 0, pods: [{ name: 'a' }] },
      { name: 'waits', open: true, pods: [] },
    ]);
  });

  it('marks a Job that is being deleted and waits for its pods', () => {
    const deleting = aSurveyedJob('pi');
    deleting.metadata.deletionTimestamp = '2026-03-01T12:00:00Z';
    expect(plan([deleting], [aSurveyedPod('a')]).jobs).toMatchObject([{ deleting: true }]);
  });

  it('shows the sums over all Jobs', () => {
    const pods = [
      aSurveyedPod('a', {}, 'Failed'),
      aSurveyedPod('b'),
      aSurveyedPod('c', { ownerReferences: [] }, 'Succeeded'),
    ];
    expect(sumPlan(plan([aSurveyedJob('pi'), aSurveyedJob('waits')], pods))).toEqual({
      jobCount: 1,
      podCount: 3,
      runningPodCount: 1,
      uncountedPodCount: 1,
      orphanCount: 1,
      openJobCount: 2,
      cronJobCount: 0,
      placedJobCount: 0,
    });
  });
});

describe('the plan of a detachment for placed Jobs', () => {
  const held = { finalizers: ['example.com/other', PLACEMENT_FINALIZER] };

  it('lists open Jobs and Jobs with a finalizer of Jobledger, each with its members in every cluster', () => {
    const jobs = [
      aSurveyedPlacedJob('waits'),
      aSurveyedPlacedJob('pi', held),
      aSurveyedPlacedJob('over', { ...held, status: COMPLETE }),
      aSurveyedPlacedJob('free', { status: COMPLETE }),
      aSurveyedJob('pi-m2'),
    ];
    const members = [aKnownMember('west', 'pi'), aKnownMember('east', 'pi-m2')];
    const plan = planDetach(aSurvey({ jobs, members }), MANAGED);
    expect(plan.placed).toEqual([
      { namespace: 'default', name: 'over', uid: 'job-over', held: true, open: false, members: [] },
      {
        namespace: 'default',
        name: 'pi',
        uid: 'job-pi',
        held: true,
        open: true,
        members: ['east/default/pi-m2', 'west/default/pi'],
      },
      { namespace: 'default', name: 'waits', uid: 'job-waits', held: false, open: true, members: [] },
    ]);
    expect(plan.members).toEqual([]);
    expect(sumPlan(plan).placedJobCount).toBe(2);
  });

  it('lists the members whose home is another cluster, and treats them as any other Job of Jobledger', () => {
    const jobs = [aSurveyedJob('pi'), aSurveyedJob('over', { status: COMPLETE })];
    const members = [
      aKnownMember('east', 'pi', 'north/default/pi'),
      aKnownMember('east', 'over', 'north/default/over'),
      aKnownMember('west', 'other', 'north/default/other'),
    ];
    const plan = planDetach(aSurvey({ jobs, members, pods: [aSurveyedPod('a')] }), MANAGED);
    expect(plan.members).toEqual([
      { namespace: 'default', name: 'over', open: false, home: 'north/default/over' },
      { namespace: 'default', name: 'pi', open: true, home: 'north/default/pi' },
    ]);
    expect(plan.jobs).toMatchObject([{ name: 'pi', open: true, pods: [{ name: 'a' }] }]);
  });
});

describe('the plan of a detachment for CronJobs', () => {
  const cronJobs = [
    aSurveyedCronJob('ours'),
    aSurveyedCronJob('suspended', { suspended: true }),
    aSurveyedCronJob('others', { managedBy: undefined }),
  ];

  it('lists the CronJobs whose Jobs no controller will create, where Jobledger replaces the CronJob controller', () => {
    const { stopped, creating } = planDetach(aSurvey({ cronJobs }), {
      ...MANAGED,
      controllers: ['job', 'cronjob'],
    });
    expect([stopped, creating]).toEqual([['default/others', 'default/ours'], []]);
  });

  it('lists the CronJobs whose Jobs no controller will run, where the built-in controller creates these Jobs', () => {
    const { stopped, creating } = planDetach(aSurvey({ cronJobs }), MANAGED);
    expect([stopped, creating]).toEqual([[], ['default/ours']]);
  });
});
