import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { measureDecision } from '../../services/worker/measure.ts';
import { decisionCounter, ruleCounter } from '../../services/worker/metrics.ts';
import type { CarryOutInput } from '../../workflows/activities.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { Sync } from '../../workflows/job/decide/sync-metrics.ts';
import type { Condition, JobStatus } from '../../workflows/kubernetes/objects.ts';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import { PRECONDITIONS, jobObject, START } from '../support/builders.ts';
import { samplesIn, findSamples } from '../support/metrics.ts';

const SYNC: Sync = {
  completionMode: 'NonIndexed',
  completions: 0,
  isPerIndex: false,
  action: 'tracking',
  creationReason: null,
  handled: [],
};
const why = { rule: 'J-5.13', message: '' } as const;
const error = { status: 403, reason: 'Forbidden', message: '' };
const job = jobFacts(jobObject());

type WithoutInstant<A> = A extends Outcome ? Omit<A, 'at'> : never;

/** The metrics of one decision, without its duration. */
function measured(
  sync: Sync | null,
  ...done: [command: Command, answer: WithoutInstant<Outcome>][]
): Record<string, number> {
  const commands = done.map(([command]) => command);
  const answers = done.map(([, outcome]) => ({ ...outcome, at: START }));
  return Object.fromEntries(
    measureDecision({ sync, commands, outcomes: answers }, 0.5)
      .filter(({ metric }) => metric !== 'job_controller_job_sync_duration_seconds')
      .map(({ metric, labels, value }): [string, number] => [
        `${metric.replace('job_controller_', '')} ${Object.values(labels).join(' ')}`.trim(),
        value,
      ]),
  );
}

function write(from: JobStatus, to: JobStatus, failed: string[] = []): Command {
  return {
    kind: 'WriteStatus',
    resourceVersion: '1',
    generation: 1,
    from,
    to,
    counted: { succeeded: [], failed },
    why,
  };
}
const written = { kind: 'WriteStatus', result: 'written', job } as const;

describe('the metrics of created pods (J-11.3, B-1)', () => {
  it('count the creations by their reason, as succeeded or failed', () => {
    const pods = ['created', 'created', 'failed', 'skipped', 'taken'].map((result, ordinal) => ({
      ordinal,
      name: `pi-${ordinal}`,
      result,
      ...(result === 'created' && { uid: `uid-${ordinal}`, resourceVersion: '1' }),
      ...(result === 'failed' && { error }),
    })) as Extract<Outcome, { kind: 'CreatePods' }>['pods'];
    const command: Command = {
      kind: 'CreatePods',
      preconditions: PRECONDITIONS,
      finalizer: '',
      pods: [],
      why,
    };
    const sync: Sync = { ...SYNC, action: 'pods_created', creationReason: 'recreate_failed' };
    expect(measured(sync, [command, { kind: 'CreatePods', generation: 1, pods }])).toEqual({
      'job_syncs_total NonIndexed error pods_created': 1,
      'job_pods_creation_total recreate_failed succeeded': 2,
      'job_pods_creation_total recreate_failed failed': 1,
    });
  });
});

describe('the metrics of a written status (J-11.3)', () => {
  const end = (type: string, reason: string): Condition[] => [{ type, status: 'True', reason }];

  it('count by how much the counters of the Job increased, and its end', () => {
    const from = { succeeded: 1, failed: 2 };
    const to = { succeeded: 3, failed: 3, conditions: end('Complete', 'CompletionsReached') };
    expect(measured(SYNC, [write(from, to), written])).toEqual({
      'job_syncs_total NonIndexed success tracking': 1,
      'job_pods_finished_total NonIndexed succeeded': 2,
      'job_pods_finished_total NonIndexed failed': 1,
      'jobs_finished_total NonIndexed succeeded CompletionsReached': 1,
    });
  });

  it('count the finished indexes of an Indexed Job, without indexes beyond its completions', () => {
    const sync: Sync = { ...SYNC, completionMode: 'Indexed', completions: 5, isPerIndex: true };
    const from = { completedIndexes: '0', failedIndexes: '' };
    const to = { completedIndexes: '0-2,7', failedIndexes: '3', succeeded: 4, failed: 1 };
    expect(measured(sync, [write(from, to), written])).toEqual({
      'job_syncs_total Indexed success tracking': 1,
      'job_pods_finished_total Indexed succeeded': 2,
      'job_pods_finished_total Indexed failed': 1,
      'job_finished_indexes_total succeeded perIndex': 2,
      'job_finished_indexes_total failed perIndex': 1,
    });
  });

  it('do not count an end again that the status already had', () => {
    const conditions = end('Failed', 'BackoffLimitExceeded');
    const output = measured(SYNC, [write({ conditions }, { conditions, failed: 1 }), written]);
    expect(Object.keys(output).filter((name) => name.startsWith('jobs_finished'))).toEqual([]);
  });

  it.each([
    { kind: 'WriteStatus', result: 'conflict', job } as const,
    { kind: 'WriteStatus', result: 'failed', error } as const,
    { kind: 'skipped' } as const,
  ])('count only the sync when the status was not written: %j', (outcome) => {
    const output = measured(SYNC, [write({}, { succeeded: 1 }), outcome]);
    const result = outcome.kind === 'skipped' ? 'success' : 'error';
    expect(output).toEqual({ [`job_syncs_total NonIndexed ${result} tracking`]: 1 });
  });
});

describe('the metrics of failures that a policy handles (J-11.1)', () => {
  const sync: Sync = {
    ...SYNC,
    handled: [
      { uid: 'a', action: 'Count' },
      { uid: 'b', action: 'Ignore' },
      { uid: 'c', action: 'Ignore' },
    ],
  };
  const release: Command = { kind: 'ReleasePods', pods: [], why };
  const outcome = {
    kind: 'ReleasePods',
    pods: [
      { name: 'a', uid: 'a', result: 'done' },
      { name: 'b', uid: 'b', result: 'gone' },
      { name: 'c', uid: 'c', result: 'failed', error },
    ],
  } as const;

  it('count a failure when its pod is counted in a status or, if ignored, released', () => {
    const output = measured(
      sync,
      [release, { ...outcome, pods: [...outcome.pods] }],
      [write({}, {}, ['a']), written],
    );
    expect(output).toMatchObject({
      'pod_failures_handled_by_failure_policy_total Ignore': 1,
      'pod_failures_handled_by_failure_policy_total Count': 1,
    });
  });

  it('do not count a failure whose pod is released when the status is refused', () => {
    const conflict = { kind: 'WriteStatus', result: 'conflict', job } as const;
    const done = { ...outcome, pods: [{ name: 'a', uid: 'a', result: 'done' as const }] };
    const output = measured(sync, [release, done], [write({}, {}, ['a']), conflict]);
    expect(output).toEqual({ 'job_syncs_total NonIndexed error tracking': 1 });
  });
});

describe('the metric of the deletion of an expired Job (J-11.4)', () => {
  const command: Command = { kind: 'DeleteJob', expiredAt: START - 1500, why };

  it('has the time from the expiry to the deletion, and is not counted when the Job is kept', () => {
    expect(measured(null, [command, { kind: 'DeleteJob', result: 'done', job }])).toEqual({
      ttl_after_finished_controller_job_deletion_duration_seconds: 1.5,
    });
    expect(measured(null, [command, { kind: 'DeleteJob', result: 'kept', job }])).toEqual({});
  });
});

describe('a decision that is carried out twice', () => {
  it('counts once in the metrics (J-11.3)', async () => {
    const metrics = createMetrics();
    const count = decisionCounter(metrics, ruleCounter(metrics));
    const commands = [write({}, { succeeded: 1 })];
    const input = {
      sync: SYNC,
      decided: { id: 'decision/1', data: { commands, waiting: null } },
    } as unknown as CarryOutInput;
    const answers: Outcome[] = [{ ...written, at: START }];
    count(input, answers, 0.5);
    count(input, answers, 0.7);
    count({ ...input, decided: { ...input.decided, id: 'decision/2' } }, answers, 0.5);
    const samples = samplesIn(await metrics.text());
    const labels = 'action="tracking",completion_mode="NonIndexed",result="success"';
    expect(samples.get(`job_controller_job_syncs_total{${labels}}`)).toBe(2);
    expect(samples.get(`job_controller_job_sync_duration_seconds_sum{${labels}}`)).toBe(1);
    expect(
      samples.get('job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"}'),
    ).toBe(2);
  });
});

describe('a decision in the metrics of the worker', () => {
  it('counts once for each rule of its commands and of its reason to wait', async () => {
    const metrics = createMetrics();
    const commands = ['J-5.13', 'J-3.50', 'J-5.13'].map((rule) => ({
      ...write({}, {}),
      why: { rule, message: '' },
    }));
    const waiting = { rule: 'J-5.40', message: '' } as const;
    const decided = { id: 'decision/1', data: { commands, waiting } };
    decisionCounter(metrics, ruleCounter(metrics))(
      { sync: null, decided } as unknown as CarryOutInput,
      [],
      0.1,
    );
    expect(findSamples(samplesIn(await metrics.text()), 'jobledger_decisions_total')).toEqual({
      '{rule="J-5.13"}': 1,
      '{rule="J-3.50"}': 1,
      '{rule="J-5.40"}': 1,
    });
  });
});

describe('a decision that breaks an invariant', () => {
  it('counts as withheld in the metrics, unless a person has approved it (J-18.2)', async () => {
    const metrics = createMetrics();
    const count = ruleCounter(metrics);
    const broken = [{ invariant: 'start-twice', message: 'the start would be carried out' }] as const;
    const withheld = { rule: 'J-18.1', message: 'nothing is created' } as const;
    count({ id: 'decision/1', data: { commands: [], waiting: withheld, broken } });
    count({ id: 'decision/2', data: { commands: [], waiting: null, broken } });
    const samples = samplesIn(await metrics.text());
    expect(samples.get('jobledger_withheld_decisions_total{invariant="start-twice"}')).toBe(1);
  });
});

describe('every metric of the worker with a name of upstream', () => {
  it("has the labels that upstream's metric of that name has (J-11.1, J-11.4)", async () => {
    const metrics = createMetrics();
    const count = decisionCounter(metrics, ruleCounter(metrics));
    const end = [{ type: 'Complete', status: 'True', reason: 'SuccessPolicy' }];
    const to = { completedIndexes: '0', failedIndexes: '1', failed: 1, conditions: end };
    const created = { ordinal: 0, name: 'pi-0', result: 'created', uid: 'a', resourceVersion: '1' } as const;
    const done: [Command, WithoutInstant<Outcome>][] = [
      [
        { kind: 'CreatePods', preconditions: PRECONDITIONS, finalizer: '', pods: [], why },
        { kind: 'CreatePods', generation: 1, pods: [created] },
      ],
      [write({}, to, ['a']), written],
      [
        { kind: 'DeleteJob', expiredAt: START, why },
        { kind: 'DeleteJob', result: 'done', job },
      ],
    ];
    const sync: Sync = {
      completionMode: 'Indexed',
      completions: 2,
      isPerIndex: false,
      action: 'pods_created',
      creationReason: 'new',
      handled: [{ uid: 'a', action: 'FailIndex' }],
    };
    const data = { commands: done.map(([command]) => command), waiting: null };
    const answers = done.map(([, outcome]) => ({ ...outcome, at: START }));
    count({ sync, decided: { id: 'decision/1', data } } as unknown as CarryOutInput, answers, 0.5);
    const names = [...samplesIn(await metrics.text()).keys()];
    const ours = names.filter((name) => /^(job_controller|ttl)/.test(name) && !name.includes('_bucket'));
    expect(ours.toSorted()).toEqual([
      'job_controller_job_finished_indexes_total{backoffLimit="global",status="failed"}',
      'job_controller_job_finished_indexes_total{backoffLimit="global",status="succeeded"}',
      'job_controller_job_pods_creation_total{reason="new",status="succeeded"}',
      'job_controller_job_pods_finished_total{completion_mode="Indexed",result="failed"}',
      'job_controller_job_pods_finished_total{completion_mode="Indexed",result="succeeded"}',
      'job_controller_job_sync_duration_seconds_count{action="pods_created",completion_mode="Indexed",result="success"}',
      'job_controller_job_sync_duration_seconds_sum{action="pods_created",completion_mode="Indexed",result="success"}',
      'job_controller_job_syncs_total{action="pods_created",completion_mode="Indexed",result="success"}',
      'job_controller_jobs_finished_total{completion_mode="Indexed",reason="SuccessPolicy",result="succeeded"}',
      'job_controller_pod_failures_handled_by_failure_policy_total{action="FailIndex"}',
      'ttl_after_finished_controller_job_deletion_duration_seconds_count',
      'ttl_after_finished_controller_job_deletion_duration_seconds_sum',
    ]);
  });
});
