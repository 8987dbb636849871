import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import { measureSync, type Sync } from '../../../workflows/job/decide/sync-metrics.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import type { Fact } from '../../../workflows/job/facts.ts';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  userRequest,
  at,
  jobDeleted,
  START,
  type JobFields,
} from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';

const RUNNING: JobFields = { completions: 2, parallelism: 2, status: { startTime: at(0), active: 2 } };

function syncAfter(job: JobFields, facts: Fact[] = [], retries: JobState['retries'] = {}): Sync | null {
  const begun = given(aJob(job)).and(...facts);
  const { state, verdict } = givenState({ ...begun.state, retries }).when(null);
  return measureSync(state, verdict, START, DEFAULT_SETTINGS);
}

const exitRule = (action: string, code: number) => ({
  action,
  onExitCodes: { operator: 'In', values: [code] },
});
const failed = (fields: Parameters<typeof aFailedPod>[0]) => aFailedPod({ finished: 0, ...fields });

describe('the metric label for the action of a sync (J-11.2)', () => {
  it.each<{
    when: string;
    job: JobFields;
    facts: Fact[];
    refused?: JobState['retries'];
    action: string;
  }>([
    { when: 'pods are created', job: {}, facts: [], action: 'pods_created' },
    {
      when: 'the back-off delays their creation',
      job: { backoffLimit: 6, status: { startTime: at(0), failed: 0 } },
      facts: [failed({})],
      action: 'pods_created',
    },
    {
      when: 'the back-off of an index delays their creation',
      job: {
        completionMode: 'Indexed',
        completions: 1,
        backoffLimitPerIndex: 3,
        status: { startTime: at(0) },
      },
      facts: [failed({ index: 0 })],
      action: 'pods_created',
    },
    {
      when: 'too many pods run',
      job: { ...RUNNING, parallelism: 1 },
      facts: [aRunningPod(), aRunningPod()],
      action: 'pods_deleted',
    },
    { when: 'the Job is suspended', job: { suspend: true }, facts: [], action: 'pods_deleted' },
    {
      when: 'nothing is created or deleted',
      job: RUNNING,
      facts: [aRunningPod({ ready: true }), aRunningPod()],
      action: 'tracking',
    },
    {
      when: 'the Job reaches its completions, which is checked after pods are managed',
      job: { ...RUNNING, completions: 1, parallelism: 1 },
      facts: [aSucceededPod()],
      action: 'tracking',
    },
    {
      when: 'the Job ends for another reason',
      job: { backoffLimit: 0, status: { startTime: at(0) } },
      facts: [failed({})],
      action: 'reconciling',
    },
    {
      when: 'its success policy is met',
      job: {
        ...RUNNING,
        completionMode: 'Indexed',
        successPolicy: { rules: [{ succeededCount: 1 }] },
      },
      facts: [aSucceededPod({ index: 0 }), aRunningPod({ index: 1 })],
      action: 'reconciling',
    },
    {
      when: 'the API has refused the last creation',
      job: RUNNING,
      facts: [],
      refused: { CreatePods: { errors: 1, until: START + 9000, message: 'no' } },
      action: 'reconciling',
    },
    {
      when: 'the Job has already met its success policy',
      job: {
        ...RUNNING,
        status: { ...RUNNING.status, conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }] },
      },
      facts: [aTerminatingPod()],
      action: 'reconciling',
    },
    {
      when: 'the Job is being deleted',
      job: { ...RUNNING, deleting: true },
      facts: [aSucceededPod()],
      action: 'reconciling',
    },
    {
      when: 'the Job already has the interim condition',
      job: {
        ...RUNNING,
        status: { ...RUNNING.status, conditions: [{ type: 'FailureTarget', status: 'True' }] },
      },
      facts: [aTerminatingPod()],
      action: 'reconciling',
    },
  ])('is $action when $when', ({ job, facts, refused, action }) => {
    expect(syncAfter(job, facts, refused)?.action).toBe(action);
  });
});

describe('the metrics of syncs (J-11.2)', () => {
  const ended = { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at(0) }] };
  it.each<{ what: string; job: JobFields; facts: Fact[] }>([
    { what: 'a Job that has finished', job: { status: ended }, facts: [aSucceededPod()] },
    { what: 'a Job of another manager', job: { managedBy: 'example.com/other' }, facts: [] },
    { what: 'an unknown completion mode', job: { completionMode: 'Chaotic' }, facts: [] },
    { what: 'a user request', job: {}, facts: [userRequest('suspend')] },
    {
      what: 'a user request that is refused',
      job: { ...RUNNING, suspend: true, deleting: true },
      facts: [userRequest('suspend')],
    },
    { what: 'a Job that is gone', job: {}, facts: [jobDeleted()] },
    { what: 'a look-up of older pods', job: { manualSelector: true }, facts: [] },
    { what: 'a pod that is disowned', job: {}, facts: [aRunningPod({ labels: {} })] },
    { what: 'an orphan that is adopted', job: {}, facts: [aRunningPod({ controller: 'none' })] },
  ])('are not counted for $what', ({ job, facts }) => {
    expect(syncAfter(job, facts)).toBeNull();
  });
});

describe('the metric label for the reason of a creation (J-11.3)', () => {
  it.each<{ reason: string | null; job: JobFields; facts: Fact[] }>([
    { reason: 'new', job: {}, facts: [] },
    { reason: 'recreate_terminating_or_failed', job: { status: { failed: 1 } }, facts: [] },
    {
      reason: 'recreate_terminating_or_failed',
      job: { completions: 1, parallelism: 1 },
      facts: [aTerminatingPod({ untracked: true })],
    },
    { reason: 'recreate_failed', job: { podReplacementPolicy: 'Failed', status: { failed: 1 } }, facts: [] },
    { reason: 'new', job: { podReplacementPolicy: 'Failed' }, facts: [] },
    { reason: null, job: { suspend: true }, facts: [] },
  ])('is $reason for $job', ({ job, facts, reason }) => {
    expect(syncAfter(job, facts)?.creationReason).toBe(reason);
  });
});

describe('the counted failures that a policy handles (J-11.1)', () => {
  const job: JobFields = {
    ...RUNNING,
    podFailurePolicy: { rules: [exitRule('Ignore', 7), exitRule('Count', 8)] },
  };

  it('are the failures that a decision counts or releases when a rule matches', () => {
    const facts = [7, 8, 9].map((code) => failed({ name: `pod-${code}`, exits: { main: code } }));
    expect(syncAfter(job, facts)?.handled).toEqual([
      { uid: 'uid-of-pod-8', action: 'Count' },
      { uid: 'uid-of-pod-7', action: 'Ignore' },
    ]);
  });

  it('are none in a Job without a policy', () => {
    expect(syncAfter(RUNNING, [failed({ exits: { main: 7 } })])?.handled).toEqual([]);
  });
});
