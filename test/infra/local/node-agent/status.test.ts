import { describe, expect, it } from '@jest/globals';
import type { AgentPod, PodCondition, PodStatus } from '../../../../infra/local/node-agent/pod/pod.ts';
import type { PodRecord } from '../../../../infra/local/node-agent/pod/pod-record.ts';
import { recoverRecord } from '../../../../infra/local/node-agent/pod/recover.ts';
import { isReportedEnded, podStatus } from '../../../../infra/local/node-agent/pod/status.ts';
import { statusPatch } from '../../../../infra/local/node-agent/pod/status-patch.ts';
import { aContainer, aPod, aRecord, aRunningStatus, aSidecar, ended, NOW, running } from './builders.ts';

const status = (pod: AgentPod, record: PodRecord, backingOff = {}): PodStatus =>
  podStatus(pod, record, backingOff, NOW);
const condition = (of: PodStatus, type: string): PodCondition | undefined =>
  of.conditions?.find((one) => one.type === type);
const completed = { stopping: { since: NOW, cause: 'completed' as const } };
const deleted = { stopping: { since: NOW, cause: 'deleted' as const } };

describe('the phase of a pod', () => {
  const withSidecar = aPod({ initContainers: [aSidecar('side')] });
  const initialized = aPod({ initContainers: [aContainer({ name: 'init' })] });
  const onFailure = aPod({ restartPolicy: 'OnFailure' }, { status: { phase: 'Running' } });

  it.each<[string, AgentPod, PodRecord, string]>([
    ['before anything ran', aPod(), aRecord(), 'Pending'],
    ['while it initializes', initialized, aRecord({ init: [running()] }), 'Pending'],
    ['while its container runs', aPod(), aRecord({ main: [running()] }), 'Running'],
    ['in back-off', onFailure, aRecord({ main: [ended(1)] }), 'Running'],
    ['after success', aPod(), aRecord({ main: [ended(0)] }, completed), 'Succeeded'],
    ['after failure', aPod(), aRecord({ main: [ended(3)] }, completed), 'Failed'],
    ['after a failed init container', initialized, aRecord({ init: [ended(1)] }, completed), 'Failed'],
    [
      'while its sidecar still runs',
      withSidecar,
      aRecord({ side: [running()], main: [ended(0)] }, completed),
      'Running',
    ],
    [
      'when the sidecar failed in the end',
      withSidecar,
      aRecord({ side: [ended(143)], main: [ended(0)] }, completed),
      'Succeeded',
    ],
    ['when deleted after success', onFailure, aRecord({ main: [ended(0)] }, deleted), 'Succeeded'],
    ['when deleted before it started', aPod(), aRecord({}, deleted), 'Failed'],
    [
      'when the API has an end already',
      aPod({}, { status: { phase: 'Failed' } }),
      aRecord({ main: [ended(0)] }, { stopping: { since: NOW, cause: 'terminal' } }),
      'Failed',
    ],
  ])('equals that of the kubelet: %s', (_when, pod, record, phase) => {
    expect(status(pod, record).phase).toBe(phase);
  });

  it('does not become Failed before also the sidecar has ended', () => {
    const pod = aPod({ initContainers: [aContainer({ name: 'init' }), aSidecar('side')] });
    expect(status(pod, aRecord({ init: [ended(1)], side: [running()] }, completed)).phase).toBe('Pending');
  });
});

describe('a pod past its active deadline', () => {
  it('has the phase Failed with the reason and message of the kubelet', () => {
    const stopping = { since: NOW, cause: 'deadline' as const };
    expect(status(aPod(), aRecord({ main: [ended(143)] }, { stopping }))).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  });
});

describe('the conditions of a pod', () => {
  it('are all True while it runs', () => {
    const { conditions } = status(aPod(), aRecord({ main: [running()] }));
    expect(conditions?.map((one) => `${one.type}=${one.status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
  });

  it.each([
    [0, 'PodCompleted'],
    [1, 'PodFailed'],
  ])(
    'have Ready as False after the pod has ended: after exit code %i with the reason %s',
    (exitCode, reason) => {
      const over = status(aPod(), aRecord({ main: [ended(exitCode)] }, completed));
      expect(condition(over, 'Ready')).toMatchObject({ status: 'False', reason });
      expect(condition(over, 'ContainersReady')).toMatchObject({ status: 'False', reason });
      expect(condition(over, 'PodReadyToStartContainers')).toMatchObject({ status: 'False' });
    },
  );

  it('name the containers that are not ready', () => {
    const pod = aPod({ containers: [aContainer(), aContainer({ name: 'other' })] });
    const half = status(pod, aRecord({ main: [running()], other: [ended(0)] }));
    expect(condition(half, 'Ready')).toMatchObject({ message: 'containers with unready status: [other]' });
  });

  it('retain their transition time while their status does not change', () => {
    const conditions = [
      { type: 'Initialized', status: 'True' as const, lastTransitionTime: '2026-05-04T11:00:00Z' },
    ];
    const later = status(aPod({}, { status: { conditions } }), aRecord({ main: [running()] }));
    expect(condition(later, 'Initialized')?.lastTransitionTime).toBe('2026-05-04T11:00:00Z');
    expect(condition(later, 'Ready')?.lastTransitionTime).toBe('2026-05-04T12:00:00Z');
  });
});

const only = (pod: AgentPod, record: PodRecord, backingOff = {}) =>
  status(pod, record, backingOff).containerStatuses?.[0];

describe('the status of a container', () => {
  it('is ContainerCreating before the container runs', () => {
    expect(only(aPod(), aRecord())).toMatchObject({
      state: { waiting: { reason: 'ContainerCreating' } },
      ready: false,
      restartCount: 0,
    });
  });

  it('has the end of the previous attempt as its lastState', () => {
    const record = aRecord({ main: [ended(2), running({ number: 1, id: 'process://uid-1-main-1' })] });
    expect(only(aPod({ restartPolicy: 'OnFailure' }), record)).toMatchObject({
      state: { running: { startedAt: '2026-05-04T12:00:00Z' } },
      lastState: { terminated: { exitCode: 2, reason: 'Error', finishedAt: '2026-05-04T12:00:00Z' } },
      restartCount: 1,
      ready: true,
      started: true,
      containerID: 'process://uid-1-main-1',
    });
  });

  it('is CrashLoopBackOff while the container waits for its next attempt', () => {
    const record = aRecord({ main: [ended(2, { number: 3 })] });
    expect(only(aPod({ restartPolicy: 'OnFailure' }), record, { main: 40_000 })).toMatchObject({
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: 'back-off 40s restarting failed container=main pod=pi_default(uid-1)',
        },
      },
      lastState: { terminated: { exitCode: 2 } },
      restartCount: 3,
    });
  });

  it('has the Unix epoch as its start when the container never started', () => {
    const never = running({ end: { exitCode: 128, reason: 'StartError', message: 'no', finishedAt: NOW } });
    expect(only(aPod(), aRecord({ main: [never] }, completed))?.state).toMatchObject({
      terminated: { exitCode: 128, reason: 'StartError', message: 'no', startedAt: '1970-01-01T00:00:00Z' },
    });
  });

  it('is ContainerStatusUnknown when the pod was deleted before the container ran', () => {
    expect(only(aPod(), aRecord({}, deleted))?.state.terminated).toMatchObject({
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
    });
  });
});

describe('the patch of a pod status', () => {
  const pod = aPod();
  const desired = status(pod, aRecord({ main: [running()] }));

  it('is empty when the API already has the status', () => {
    expect(statusPatch(pod, desired, desired)).toBeUndefined();
  });

  it('is empty when only the generation changed', () => {
    expect(statusPatch(pod, desired, { ...desired, observedGeneration: 2 })).toBeUndefined();
  });

  it('contains the UID of the pod and the changed fields, and removes outdated reasons of conditions', () => {
    const before = status(pod, aRecord());
    const patch = statusPatch(pod, before, desired);
    expect(patch?.metadata).toEqual({ uid: 'uid-1' });
    expect(Object.keys(patch?.status ?? {}).sort()).toEqual([
      'conditions',
      'containerStatuses',
      'observedGeneration',
      'phase',
    ]);
    expect(patch?.status.conditions).toMatchObject([
      { type: 'Ready', status: 'True', reason: null, message: null },
      { type: 'ContainersReady', status: 'True', reason: null, message: null },
    ]);
  });
});

describe('a pod that the node agent sees for the first time after the agent has started', () => {
  it('has a container with ContainerStatusUnknown when the API shows it as running and the agent has no record of it', () => {
    const seen = aPod(
      {},
      {
        status: {
          phase: 'Running',
          startTime: '2026-05-04T11:00:00Z',
          containerStatuses: [aRunningStatus({ restartCount: 2 })],
        },
      },
    );
    const record = recoverRecord(seen, {}, NOW);
    expect(record.startTime).toBe(NOW - 3_600_000);
    expect(record.attempts['main']).toMatchObject([
      { number: 2, end: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
    ]);
  });

  it('has the attempts that the agent had recorded on disk', () => {
    const seen = aPod({}, { status: { containerStatuses: [aRunningStatus()] } });
    const attempts = { main: [running()] };
    expect(recoverRecord(seen, { startTime: 5, attempts }, NOW)).toMatchObject({ startTime: 5, attempts });
  });

  it('needs no report when the API shows the pod and its containers as ended', () => {
    expect(isReportedEnded(aPod({}, { status: { phase: 'Failed' } }))).toBe(true);
    expect(
      isReportedEnded(aPod({}, { status: { phase: 'Failed', containerStatuses: [aRunningStatus()] } })),
    ).toBe(false);
  });
});
