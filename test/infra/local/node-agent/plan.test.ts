import { describe, expect, it } from '@jest/globals';
import { planPod } from '../../../../infra/local/node-agent/pod/plan.ts';
import type { AgentPod } from '../../../../infra/local/node-agent/pod/pod.ts';
import type { PodRecord } from '../../../../infra/local/node-agent/pod/pod-record.ts';
import { stopCause } from '../../../../infra/local/node-agent/pod/stop-cause.ts';
import { aContainer, aPod, aRecord, aSidecar, ended, NOW, running } from './builders.ts';

const SETTINGS = { baseMs: 10_000, maxMs: 300_000 };
const plan = (pod: AgentPod, record: PodRecord, after = 0) => planPod(pod, record, NOW + after, SETTINGS);
const starts = (pod: AgentPod, record: PodRecord, after = 0) =>
  plan(pod, record, after).start.map((one) => `${one.container.name}#${one.number}`);

describe('a pod with init containers and a sidecar', () => {
  const pod = aPod({
    initContainers: [aContainer({ name: 'one' }), aSidecar('side'), aContainer({ name: 'two' })],
    containers: [aContainer({ name: 'a' }), aContainer({ name: 'b' })],
  });

  it.each([
    ['nothing ran yet', {}, ['one#0']],
    ['the first runs', { one: [running()] }, []],
    ['the first succeeded', { one: [ended(0)] }, ['side#0']],
    ['the sidecar runs', { one: [ended(0)], side: [running()] }, ['two#0']],
    ['all are done', { one: [ended(0)], side: [running()], two: [ended(0)] }, ['a#0', 'b#0']],
    [
      'the sidecar has failed later',
      { one: [ended(0)], side: [ended(1)], two: [ended(0)], a: [running()], b: [running()] },
      ['side#1'],
    ],
  ])('starts its containers in order, each after the one before it: %s', (_when, attempts, expected) => {
    expect(starts(pod, aRecord(attempts))).toEqual(expected);
  });

  it('starts no further container after an init container failed under restartPolicy Never', () => {
    const record = aRecord({ one: [ended(1)] });
    expect(starts(pod, record)).toEqual([]);
    expect(stopCause(pod, record, NOW)).toBe('completed');
  });

  it('restarts a failed init container under restartPolicy OnFailure', () => {
    expect(
      starts({ ...pod, spec: { ...pod.spec, restartPolicy: 'OnFailure' } }, aRecord({ one: [ended(1)] })),
    ).toEqual(['one#1']);
  });
});

describe('a container that ended under restartPolicy OnFailure', () => {
  const pod = aPod({ restartPolicy: 'OnFailure' });

  it('starts again immediately after its first failure', () => {
    expect(plan(pod, aRecord({ main: [ended(1)] })).start).toEqual([
      { container: pod.spec.containers[0], number: 1, backOff: { delayMs: 10_000, at: NOW } },
    ]);
  });

  it('starts again after its second failure when the back-off has ended', () => {
    const record = aRecord({ main: [ended(1, { number: 1, backOff: { delayMs: 10_000, at: NOW } })] });
    expect(plan(pod, record, 9_999)).toMatchObject({
      start: [],
      backingOff: { main: 10_000 },
      nextDecisionAt: NOW + 10_000,
    });
    expect(plan(pod, record, 10_000).start[0]).toMatchObject({ number: 2, backOff: { delayMs: 20_000 } });
  });

  it('never waits longer than the maximum delay', () => {
    const record = aRecord({ main: [ended(1, { number: 9, backOff: { delayMs: 300_000, at: NOW } })] });
    expect(plan(pod, record, 300_000).start[0]).toMatchObject({ backOff: { delayMs: 300_000 } });
  });

  it('has the first delay again when it failed after more than ten minutes', () => {
    const record = aRecord({ main: [ended(1, { backOff: { delayMs: 300_000, at: NOW - 600_001 } })] });
    expect(plan(pod, record).start[0]).toMatchObject({ backOff: { delayMs: 10_000 } });
  });

  it('counts as finished when it succeeded', () => {
    const record = aRecord({ main: [ended(0)] });
    expect(starts(pod, record)).toEqual([]);
    expect(stopCause(pod, record, NOW)).toBe('completed');
  });
});

describe('the restart rules of a container with restartPolicy Never', () => {
  it('restart the container on the listed exit codes only', () => {
    const rules = [{ action: 'Restart', exitCodes: { operator: 'In' as const, values: [42] } }];
    const pod = aPod({ containers: [aContainer({ restartPolicyRules: rules, restartPolicy: 'Never' })] });
    expect(starts(pod, aRecord({ main: [ended(42)] }))).toEqual(['main#1']);
    expect(starts(pod, aRecord({ main: [ended(1)] }))).toEqual([]);
  });
});

describe('a container whose configuration is incomplete', () => {
  it('is started when its retry time is reached, and not before', () => {
    const waiting = { main: { reason: 'CreateContainerConfigError', retryAt: NOW + 2000 } };
    expect(plan(aPod(), aRecord({}, { waiting }))).toMatchObject({ start: [], nextDecisionAt: NOW + 2000 });
    expect(starts(aPod(), aRecord({}, { waiting }), 2000)).toEqual(['main#0']);
  });
});

describe('the stop of a pod by the node agent', () => {
  const pod = aPod({
    terminationGracePeriodSeconds: 5,
    initContainers: [aSidecar('one'), aSidecar('two')],
  });
  const stopping = { since: NOW, cause: 'deleted' as const };
  const both = { one: [running()], two: [running()] };

  it('sends SIGTERM to the main containers first, and not yet to the sidecars', () => {
    expect(plan(pod, aRecord({ ...both, main: [running()] }, { stopping }))).toMatchObject({
      terminate: ['main'],
      nextDecisionAt: NOW + 5000,
    });
  });

  it('sends SIGTERM only once', () => {
    const record = aRecord({ ...both, main: [running({ terminating: true })] }, { stopping });
    expect(plan(pod, record)).toMatchObject({ terminate: [], kill: [] });
  });

  it('ends the sidecars one by one in reverse order', () => {
    expect(plan(pod, aRecord({ ...both, main: [ended(0)] }, { stopping })).terminate).toEqual(['two']);
    expect(
      plan(pod, aRecord({ ...both, two: [ended(0)], main: [ended(0)] }, { stopping })).terminate,
    ).toEqual(['one']);
  });

  it('sends SIGKILL to every process that outlives the grace period', () => {
    const record = aRecord({ ...both, main: [running({ terminating: true })] }, { stopping });
    expect(plan(pod, record, 5000).kill).toEqual(['one', 'two', 'main']);
  });

  it('has a shorter grace period when a later deletion requests it', () => {
    const hurried = aPod(
      { terminationGracePeriodSeconds: 30 },
      { metadata: { deletionGracePeriodSeconds: 0 } },
    );
    expect(plan(hurried, aRecord({ main: [running()] }, { stopping }), 1000).kill).toEqual(['main']);
  });

  it('starts no further container', () => {
    expect(starts(aPod({ restartPolicy: 'Always' }), aRecord({ main: [ended(1)] }, { stopping }))).toEqual(
      [],
    );
  });
});

describe('the cause for which a pod ends', () => {
  it.each([
    ['it was deleted', aPod({}, { metadata: { deletionTimestamp: '2026-05-04T12:00:30Z' } }), 'deleted'],
    ['its deadline has passed', aPod({ activeDeadlineSeconds: 0 }), 'deadline'],
    ['another client ended it in the API', aPod({}, { status: { phase: 'Failed' } }), 'terminal'],
    ['it may run until its deadline', aPod({ activeDeadlineSeconds: 1 }), undefined],
  ])('exists unless the pod may still run: %s', (_because, pod, cause) => {
    expect(stopCause(pod, aRecord({ main: [running()] }), NOW)).toBe(cause);
  });
});
