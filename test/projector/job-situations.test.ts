import { describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { Reason } from '../../workflows/decision/reason.ts';
import type { ContainerStatus, JobStatus, Pod } from '../../workflows/kubernetes/objects.ts';
import type { JobRow } from '../../services/read-model/tables/jobs.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import {
  aJob,
  after,
  anEndedPod,
  aPod,
  requestReceived,
  createPods,
  decided,
  deletePods,
  jobDeleted,
  jobObserved,
  podDeleted,
  podObserved,
} from './builders.ts';

const OURS = 'jobledger.dev/job-controller';

/** The columns that a user asks for first, after these events. */
function situation(...events: JobEvent[]) {
  const rows = emptyRows();
  projectAll(rows, events);
  const [job] = rows.jobs.changed.values();
  const { status: state, waiting_for, waiting_until, reason } = job as JobRow;
  return { state, waiting_for, waiting_until, reason };
}

const created = jobObserved(1, aJob({ version: 5, spec: { managedBy: OURS } }));

function ended(type: string, reason?: string): JobEvent {
  const condition = { type, status: 'True', ...(reason !== undefined && { reason }) };
  return jobObserved(
    80,
    aJob({ version: 90, spec: { managedBy: OURS }, status: { succeeded: 1, conditions: [condition] } }),
  );
}

function unscheduled(name: string, version: number, message: string): JobEvent {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  return podObserved(10, aPod({ name, version, phase: 'Pending', status: { conditions: [condition] } }));
}

function waiting(name: string, version: number, reason: string, phase = 'Pending'): JobEvent {
  const containerStatuses: object[] = [
    { name: 'main', state: { waiting: { reason, message: '[redacted]' } } },
  ];
  const status = { containerStatuses: containerStatuses as ContainerStatus[] };
  return podObserved(10, aPod({ name, version, phase, status }));
}

function failed(name: string, version: number, exitCode: number, reason = 'Error'): JobEvent {
  const terminated = { exitCode, reason, finishedAt: after(29) };
  const status: Pod['status'] = { containerStatuses: [{ name: 'main', state: { terminated } }] };
  return podObserved(30, aPod({ name, version, phase: 'Failed', status }));
}

function decidedToWait(waitingFor: Reason, nextDecisionAt: number): JobEvent {
  return decided(40, 1, { waiting: waitingFor, nextDecisionAt });
}

const BACK_OFF: Reason = { rule: 'J-5.40', message: 'no pod before 2026-03-31T23:59:50Z: back-off' };
const NO_NODE = '0/12 nodes are available: 12 Insufficient cpu. preemption: 0/12 nodes are available.';

describe('the status of a Job, with its reason to wait or to fail,', () => {
  const pending = { state: 'Pending', waiting_until: null, reason: null };

  it('is Pending until a pod runs, with the reason', () => {
    expect(situation(created)).toEqual({ ...pending, waiting_for: 'its first pod to be created' });
    const unseen = podObserved(3, aPod({ name: 'a', version: 7, phase: 'Pending' }));
    expect(situation(created, unseen)).toEqual({ ...pending, waiting_for: 'its pod to start' });
    expect(situation(created, unscheduled('a', 8, NO_NODE))).toEqual({
      ...pending,
      waiting_for: '0 of 12 nodes fit: 12 Insufficient cpu',
    });
    expect(situation(created, waiting('a', 9, 'ErrImagePull'))).toEqual({
      ...pending,
      waiting_for: 'ErrImagePull',
    });
  });

  it('has the number of pods that wait for the same reason, without their names', () => {
    const claim = (name: string, version: number) =>
      unscheduled(name, version, `persistentvolumeclaim "${name}-data" not found`);
    expect(situation(created, claim('a-1', 8), claim('a-2', 9), waiting('a-3', 10, 'ErrImagePull'))).toEqual({
      ...pending,
      waiting_for: 'Unschedulable: persistentvolumeclaim "…-data" not found (2 pods)',
    });
  });

  it('is Running while a pod runs, with only the reasons that keep other pods from running', () => {
    const running = podObserved(20, aPod({ name: 'a', version: 20 }));
    const expected = { state: 'Running', waiting_for: null, waiting_until: null, reason: null };
    expect(situation(created, waiting('a', 9, 'ContainerCreating'), running)).toEqual(expected);
    expect(situation(created, running, waiting('b', 21, 'ContainerCreating'))).toEqual(expected);
    expect(situation(created, running, waiting('b', 21, 'ImagePullBackOff'))).toEqual({
      ...expected,
      waiting_for: 'ImagePullBackOff',
    });
  });

  it('is Running between the pods of a Job when some pods have succeeded', () => {
    const job = aJob({ version: 30, spec: { managedBy: OURS, completions: 2 }, status: { succeeded: 1 } });
    const succeeded = podObserved(30, anEndedPod({ name: 'a', version: 20, exitCode: 0, endedAt: 29 }));
    expect(situation(created, succeeded, jobObserved(31, job))).toMatchObject({
      state: 'Running',
      waiting_for: null,
    });
  });

  describe('for a placed Job, whose pods belong to its members,', () => {
    const placed = (version: number, status: JobStatus): JobEvent =>
      jobObserved(version, aJob({ version, spec: { managedBy: 'jobledger.dev/placement' }, status }));

    it('is Pending until its status counts a ready pod, with the reason', () => {
      expect(situation(created, placed(10, {}))).toMatchObject({
        waiting_for: 'its first pod to be created',
      });
      expect(situation(created, placed(10, { active: 2, ready: 0 }))).toEqual({
        ...pending,
        waiting_for: 'its pod to start',
      });
    });

    it('is Running while its status counts a ready pod, also before its first success', () => {
      const running = { state: 'Running', waiting_for: null, waiting_until: null, reason: null };
      expect(situation(created, placed(10, { active: 2, ready: 1 }))).toEqual(running);
      expect(situation(created, placed(10, { active: 2, ready: 1, failed: 1 }))).toEqual(running);
    });

    it('is Retrying after a failure that its status counts, until the next pod runs', () => {
      expect(situation(created, placed(10, { active: 1, ready: 0, failed: 1 }))).toEqual({
        ...pending,
        state: 'Retrying',
        waiting_for: 'its next attempt',
      });
    });
  });

  it('is Retrying after a failed attempt, until the next attempt runs', () => {
    const until = after(50);
    const backOff = decidedToWait(BACK_OFF, Date.parse(until));
    expect(situation(created, failed('a', 20, 137, 'OOMKilled'), backOff)).toEqual({
      state: 'Retrying',
      waiting_for: 'its next attempt',
      waiting_until: until,
      reason: '137 OOMKilled ×1',
    });
    expect(situation(created, failed('a', 20, 3), decided(41, 1, { commands: [createPods('b')] }))).toEqual({
      state: 'Retrying',
      waiting_for: 'its next attempt',
      waiting_until: null,
      reason: 'exit code 3 ×1',
    });
    const running = podObserved(51, aPod({ name: 'b', version: 40 }));
    expect(situation(created, failed('a', 20, 3), running)).toMatchObject({
      state: 'Running',
      reason: 'exit code 3 ×1',
    });
  });

  it('is Retrying while a pod waits to restart its container', () => {
    expect(situation(created, waiting('a', 9, 'CrashLoopBackOff', 'Running'))).toMatchObject({
      state: 'Retrying',
      waiting_for: 'CrashLoopBackOff',
    });
  });

  it('has the request that the API server refuses, such as a pod beyond a quota, and the time of the next attempt', () => {
    const message =
      'no CreatePods before 2026-03-31T23:59:50Z: 2 errors of the API, the last: pods "pi-x" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1';
    expect(situation(created, decidedToWait({ rule: 'J-3.2', message }, Date.parse(after(50))))).toEqual({
      state: 'Pending',
      waiting_for:
        'a request that the API server refused: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1',
      waiting_until: after(50),
      reason: null,
    });
  });

  it('is Suspended, with the user who suspended the Job if that user is known', () => {
    const suspended = (at: number) => {
      const condition = { type: 'Suspended', status: 'True', lastTransitionTime: after(at) };
      const spec = { managedBy: OURS, suspend: true };
      return jobObserved(at, aJob({ version: 50, spec, status: { conditions: [condition] } }));
    };
    const expected = { state: 'Suspended', waiting_until: null, reason: null };
    const asked = requestReceived(60, 'suspend', 'ann');
    expect(situation(created, suspended(61))).toEqual({ ...expected, waiting_for: 'to be resumed' });
    expect(situation(created, asked, suspended(61))).toEqual({
      ...expected,
      waiting_for: 'to be resumed: suspended by ann',
    });
    expect(situation(created, asked, suspended(600))).toMatchObject({ waiting_for: 'to be resumed' });
    const resumed = requestReceived(60, 'resume', 'bob');
    expect(situation(created, asked, resumed, suspended(61))).toMatchObject({ waiting_for: 'to be resumed' });
  });

  it('still names the user who suspended the Job after another user asks for a second suspension', () => {
    const spec = { managedBy: OURS, suspend: true };
    const status = { conditions: [{ type: 'Suspended', status: 'True', lastTransitionTime: after(61) }] };
    const suspended = jobObserved(62, aJob({ version: 50, spec, status }));
    const asked = requestReceived(60, 'suspend', 'ann');
    const expected = { waiting_for: 'to be resumed: suspended by ann' };
    expect(situation(created, asked, suspended, requestReceived(63, 'suspend', 'bob'))).toMatchObject(
      expected,
    );
    expect(situation(created, asked, requestReceived(61, 'suspend', 'bob'), suspended)).toMatchObject(
      expected,
    );
  });

  it('names the user of the last suspension after the Job was resumed in between', () => {
    const seen = (at: number, suspend: boolean): JobEvent => {
      const condition = {
        type: 'Suspended',
        status: suspend ? 'True' : 'False',
        lastTransitionTime: after(at),
      };
      const spec = { managedBy: OURS, suspend };
      return jobObserved(at, aJob({ version: 50 + at, spec, status: { conditions: [condition] } }));
    };
    const [byAnn, byBob] = [requestReceived(10, 'suspend', 'ann'), requestReceived(30, 'suspend', 'bob')];
    expect(situation(created, byAnn, seen(11, true), seen(20, false), byBob, seen(31, true))).toMatchObject({
      waiting_for: 'to be resumed: suspended by bob',
    });
  });

  it('still names the user who suspended the Job after another user has approved a decision (J-18.2)', () => {
    const spec = { managedBy: OURS, suspend: true };
    const status = { conditions: [{ type: 'Suspended', status: 'True', lastTransitionTime: after(61) }] };
    const suspended = jobObserved(62, aJob({ version: 50, spec, status }));
    const asked = requestReceived(60, 'suspend', 'ann');
    const approval = {
      ...asked,
      id: 'approval',
      data: { ...asked.data, action: 'approve', by: 'bob', decisionNumber: 1, broken: [] },
    };
    expect(situation(created, asked, approval as never, suspended)).toMatchObject({
      waiting_for: 'to be resumed: suspended by ann',
    });
  });

  it('names the awaited Jobs when the Job waits in a chain', () => {
    const job = aJob({ version: 6, spec: { managedBy: OURS, suspend: true } });
    const chain: Reason = { rule: 'J-12.6', message: 'suspended until Job a succeeds; Job b fails' };
    expect(situation(jobObserved(1, job), decidedToWait(chain, 0))).toMatchObject({
      state: 'Suspended',
      waiting_for: 'Job a succeeds; Job b fails',
    });
  });

  it('is External, with the name of the controller, when Jobledger does not control the Job', () => {
    const of = (spec: object, status = {}) => situation(jobObserved(1, aJob({ version: 5, spec, status })));
    const expected = { state: 'External', waiting_until: null, reason: null };
    expect(of({})).toEqual({ ...expected, waiting_for: 'the built-in Job controller' });
    expect(of({ managedBy: 'example.com/queue' })).toEqual({
      ...expected,
      waiting_for: 'the controller example.com/queue, which spec.managedBy names',
    });
    expect(of({}, { startTime: after(2) })).toEqual({ ...expected, waiting_for: null });
  });

  it('is Succeeded, without the reason of attempts that failed', () => {
    const over = { state: 'Succeeded', waiting_for: null, waiting_until: null, reason: null };
    expect(situation(created, failed('a', 20, 3), ended('Complete'))).toEqual(over);
    expect(situation(created, ended('Complete'), jobDeleted({ at: 99, version: 99 }))).toEqual(over);
  });

  it('is Failed, with the causes, the number of pods of each, and the limit that was reached', () => {
    const oom = [failed('a', 20, 137, 'OOMKilled'), failed('b', 21, 137, 'OOMKilled')];
    const over = { state: 'Failed', waiting_for: null, waiting_until: null };
    const limit = ended('Failed', 'BackoffLimitExceeded');
    expect(situation(created, ...oom, limit)).toEqual({
      ...over,
      reason: '137 OOMKilled ×2: back-off limit reached',
    });
    expect(situation(created, failed('c', 22, 3), ...oom, limit)).toEqual({
      ...over,
      reason: '137 OOMKilled ×2, exit code 3 ×1: back-off limit reached',
    });
    expect(situation(created, ended('Failed', 'DeadlineExceeded'))).toEqual({
      ...over,
      reason: 'deadline exceeded',
    });
    expect(situation(created, ended('Failed', 'SomeReason'))).toEqual({ ...over, reason: 'SomeReason' });
  });

  it('has the reason why a container could not be started, unless the ledger has that reason redacted', () => {
    const notStarted = (message: string) => {
      const terminated = { exitCode: 128, reason: 'StartError', message };
      const statuses: object[] = [{ name: 'main', state: { terminated } }];
      const status = { containerStatuses: statuses as ContainerStatus[] };
      return situation(created, podObserved(30, aPod({ name: 'a', version: 20, phase: 'Failed', status })));
    };
    expect(notStarted('executable file not found in $PATH')).toMatchObject({
      reason: '128 StartError (executable file not found in $PATH) ×1',
    });
    expect(notStarted('[redacted]')).toMatchObject({ reason: '128 StartError ×1' });
  });

  it('names the three most frequent causes of failures, and "others" for the rest', () => {
    const many = [
      failed('a', 20, 1),
      failed('b', 21, 2),
      failed('c', 22, 3),
      failed('d', 23, 4),
      failed('e', 24, 4),
    ];
    expect(situation(created, ...many)).toMatchObject({
      reason: 'exit code 4 ×2, exit code 1 ×1, exit code 2 ×1, others',
    });
  });

  it('counts an eviction and a deletion by another client as failures, but not a deletion by Jobledger or with the Job', () => {
    const evicted = podObserved(
      30,
      aPod({
        name: 'a',
        version: 20,
        phase: 'Failed',
        status: { reason: 'Evicted', message: 'The node was low on resource: memory.' },
      }),
    );
    expect(situation(created, evicted)).toMatchObject({ reason: 'evicted ×1' });
    const running = podObserved(20, aPod({ name: 'b', version: 20 }));
    const asked = decided(25, 1, { commands: [deletePods('the deadline has passed', 'b')] });
    const gone = podDeleted(31, { name: 'b', version: 30 });
    expect(situation(created, running, asked, gone)).toMatchObject({ reason: null });
    const metadata = { deletionTimestamp: after(26), deletionGracePeriodSeconds: 0 };
    const going = podObserved(26, aPod({ name: 'b', version: 25, metadata }));
    expect(situation(created, running, going, gone)).toMatchObject({
      reason: 'deleted by another client ×1',
    });
  });

  it('is Deleted when the Job was deleted before it ended', () => {
    expect(situation(created, waiting('a', 9, 'ErrImagePull'), jobDeleted({ at: 99, version: 99 }))).toEqual({
      state: 'Deleted',
      waiting_for: null,
      waiting_until: null,
      reason: null,
    });
  });
});
