import { describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../workflows/job/events.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import type { PodRow } from '../../services/read-model/tables/pods.ts';
import {
  aJob,
  anEndedPod,
  answered,
  aPod,
  after,
  createPods,
  decided,
  deletePods,
  jobDeleted,
  jobObserved,
  podDeleted,
  podObserved,
  podsCreated,
  START,
} from './builders.ts';

function podsAfter(...events: JobEvent[]): PodRow[] {
  const rows = emptyRows();
  projectAll(rows, events);
  return [...rows.pods.changed.values()];
}

function podAfter(...events: JobEvent[]): PodRow | undefined {
  return podsAfter(...events)[0];
}

const created = [
  jobObserved(1, aJob({ version: 1 })),
  decided(2, 1, { commands: [createPods('pi-a')] }),
  answered(3, 'decision-1', 0, podsCreated(3, 'pi-a')),
];

describe('a pod that a decision creates', () => {
  it('has a row with the reason for its creation before it is observed', () => {
    expect(podAfter(...created)).toMatchObject({
      name: 'pi-a',
      phase: null,
      creation_decision: 'decision-1',
      creation_rule: 'J-5.12',
      creation_message: '1 of 1 pods is missing',
      end_message: null,
    });
  });

  it('retains the reason for its creation after it is observed, beside the data of the API', () => {
    const pod = aPod({
      name: 'pi-a',
      version: 10,
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: after(5) }] },
    });
    expect(podAfter(...created, podObserved(6, pod))).toMatchObject({
      phase: 'Running',
      node: 'node-1',
      created_at: after(2),
      first_ready_at: after(5),
      creation_message: '1 of 1 pods is missing',
    });
  });

  it('has the requests and limits of all its containers, and the image of the first', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const state = { running: { startedAt: after(7) } };
    const pod = aPod({
      name: 'pi-a',
      version: 10,
      status: {
        qosClass: 'Burstable',
        initContainerStatuses: [
          {
            name: 'setup',
            state: { terminated: { exitCode: 0, startedAt: after(5), finishedAt: after(6) } },
          },
        ],
        containerStatuses: [
          { name: 'proxy', imageID: 'docker.io/proxy:1', state },
          { name: 'main', imageID: `docker.io/library/busybox@${digest}`, state },
        ],
      },
    });
    const requests = { cpu: '1500m', memory: '2Gi', 'nvidia.com/gpu': '2' };
    pod.spec = {
      ...pod.spec,
      priorityClassName: 'low',
      containers: [
        { name: 'main', image: 'busybox:1.36', resources: { requests, limits: { memory: '4Gi' } } },
        { name: 'proxy', image: 'proxy:1' },
      ],
    };
    expect(podAfter(...created, podObserved(8, pod))).toMatchObject({
      image: 'busybox:1.36',
      image_digest: digest,
      cpu_request_cores: '1.5',
      memory_request_bytes: String(2 * 2 ** 30),
      gpu_request: '2',
      requests: { cpu: 1.5, memory: 2 * 2 ** 30, 'nvidia.com/gpu': 2 },
      limits: { memory: 4 * 2 ** 30 },
      priority_class: 'low',
      qos_class: 'Burstable',
      first_container_started_at: after(5),
    });
  });

  it('retains the instant at which its first container first started, through restarts', () => {
    const seen = (version: number, at: number, lastState?: object) =>
      podObserved(
        at + 1,
        aPod({
          name: 'pi-a',
          version,
          status: {
            containerStatuses: [
              { name: 'main', state: { running: { startedAt: after(at) } }, ...(lastState && { lastState }) },
            ],
          },
        }),
      );
    const ended = { terminated: { exitCode: 1, startedAt: after(20), finishedAt: after(25) } };
    expect(podAfter(...created, seen(10, 10), seen(11, 30, ended))).toMatchObject({
      first_container_started_at: after(10),
    });
    // Without the first observation, the start before the last restart is the earliest that is known.
    expect(podAfter(...created, seen(11, 30, ended))).toMatchObject({
      first_container_started_at: after(20),
    });
  });

  it('does not pass the reason for its creation to another pod that had its name already', () => {
    const outcome = {
      ...podsCreated(3, 'pi-a'),
      pods: [{ ordinal: 0, name: 'pi-a', result: 'taken' as const }],
    };
    const events = [
      decided(2, 1, { commands: [createPods('pi-a')] }),
      answered(3, 'decision-1', 0, outcome as never),
      podObserved(4, aPod({ name: 'pi-a', version: 7 })),
    ];
    expect(podAfter(...events)).toMatchObject({ creation_decision: null, creation_message: null });
  });
});

const running = podObserved(5, aPod({ name: 'pi-a', version: 11 }));
const beingDeleted = podObserved(
  8,
  aPod({ name: 'pi-a', version: 15, metadata: { deletionTimestamp: after(7) } }),
);

function failed(exitCode: number): JobEvent {
  return podObserved(10, anEndedPod({ name: 'pi-a', version: 20, exitCode, endedAt: 9 }));
}

describe('the reason why a pod ended', () => {
  it('is Succeeded for a pod that succeeded', () => {
    expect(podAfter(...created, failed(0))).toMatchObject({
      end_cause: 'Succeeded',
      end_message: 'Succeeded',
      exit_code: 0,
    });
  });

  it('is the exit code with its reason', () => {
    expect(podAfter(...created, failed(3))).toMatchObject({
      end_cause: 'Error',
      end_message: 'exit code 3 (Error)',
      finished_at: after(9),
    });
  });

  it('is the deletion by Jobledger, with its reason, when Jobledger decided it before the end', () => {
    const decision = decided(6, 2, { commands: [deletePods('1 pod too many', 'pi-a')] });
    expect(podAfter(...created, running, decision, failed(143))).toMatchObject({
      end_cause: 'DeletedByJobledger',
      end_message: 'deleted by Jobledger: 1 pod too many',
      deletion_decision: 'decision-2',
    });
  });

  it('is the exit code when Jobledger decided the deletion only after the end', () => {
    const decision = decided(11, 2, { commands: [deletePods('the Job is over', 'pi-a')] });
    expect(
      podAfter(...created, failed(3), decision, podDeleted(12, { name: 'pi-a', version: 21 })),
    ).toMatchObject({
      end_cause: 'Error',
      end_message: 'exit code 3 (Error)',
    });
  });

  it('is the exit code when the API server refused the deletion by Jobledger', () => {
    const decision = decided(6, 2, { commands: [deletePods('1 pod too many', 'pi-a')] });
    const refusal = answered(7, 'decision-2', 0, {
      kind: 'DeletePods',
      untrack: false,
      at: START,
      pods: [
        {
          name: 'pi-a',
          uid: 'uid-pi-a',
          result: 'failed',
          error: { status: 403, reason: 'Forbidden', message: 'no' },
        },
      ],
    });
    expect(podAfter(...created, running, decision, refusal, failed(3))).toMatchObject({
      end_cause: 'Error',
      end_message: 'exit code 3 (Error)',
    });
  });

  it('is a deletion by another client when Jobledger did not decide the deletion', () => {
    expect(
      podAfter(...created, running, beingDeleted, podDeleted(9, { name: 'pi-a', version: 16 })),
    ).toMatchObject({
      end_cause: 'Deleted',
      end_message: 'deleted by another client',
    });
  });

  it('is the deletion of its Job', () => {
    const gone = jobDeleted({ at: 6, version: 12 });
    expect(
      podAfter(...created, running, gone, beingDeleted, podDeleted(9, { name: 'pi-a', version: 16 })),
    ).toMatchObject({ end_cause: 'DeletedWithJob', end_message: 'deleted with its Job' });
  });

  it('is an eviction, with its message', () => {
    const status = { reason: 'Evicted', message: 'The node was low on resource: memory.' };
    expect(
      podAfter(...created, podObserved(9, aPod({ name: 'pi-a', version: 16, phase: 'Failed', status }))),
    ).toMatchObject({ end_cause: 'Evicted', end_message: 'evicted: The node was low on resource: memory.' });
  });

  it('is unknown when the pod was deleted while no watch was open', () => {
    expect(
      podAfter(...created, running, podDeleted(9, { name: 'pi-a', version: 11, seen: false })),
    ).toMatchObject({ end_cause: 'NotObserved', end_message: 'gone while nobody watched' });
  });
});

describe('an older version of a pod that arrives late', () => {
  it('changes no row of the pod', () => {
    const now = podObserved(10, anEndedPod({ name: 'pi-a', version: 100, exitCode: 3, endedAt: 9 }));
    const old = podObserved(11, aPod({ name: 'pi-a', version: 99 }));
    expect(podsAfter(now, old)).toEqual(podsAfter(now));
  });
});
