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

describe('a pod created by a decision', () => {
  it('is a row with its reason before it is observed', () => {
    expect(podAfter(...created)).toMatchObject({
      name: 'pi-a',
      phase: null,
      creation_decision: 'decision-1',
      creation_rule: 'J-5.12',
      creation_message: '1 of 1 pods is missing',
      end_message: null,
    });
  });

  it('keeps its reason once observed, with what the API reports', () => {
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

  it('has no reason of ours when the name went to another pod', () => {
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

describe('why a pod ended', () => {
  it('is Succeeded', () => {
    expect(podAfter(...created, failed(0))).toMatchObject({ end_message: 'Succeeded', exit_code: 0 });
  });

  it('is the exit code with its reason', () => {
    expect(podAfter(...created, failed(3))).toMatchObject({
      end_message: 'exit code 3 (Error)',
      finished_at: after(9),
    });
  });

  it('is our deletion, with its reason, when we decided it before', () => {
    const decision = decided(6, 2, { commands: [deletePods('1 pod too many', 'pi-a')] });
    expect(podAfter(...created, running, decision, failed(143))).toMatchObject({
      end_message: 'deleted by Jobledger: 1 pod too many',
      deletion_decision: 'decision-2',
    });
  });

  it('is not our deletion when that came after the end', () => {
    const decision = decided(11, 2, { commands: [deletePods('the Job is over', 'pi-a')] });
    expect(
      podAfter(...created, failed(3), decision, podDeleted(12, { name: 'pi-a', version: 21 })),
    ).toMatchObject({
      end_message: 'exit code 3 (Error)',
    });
  });

  it('is not a deletion that the API server refused', () => {
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
      end_message: 'exit code 3 (Error)',
    });
  });

  it("is somebody else's deletion, when it was not ours", () => {
    expect(
      podAfter(...created, running, beingDeleted, podDeleted(9, { name: 'pi-a', version: 16 })),
    ).toMatchObject({
      end_message: 'deleted by somebody else',
    });
  });

  it('is the deletion of its Job', () => {
    const gone = jobDeleted({ at: 6, version: 12 });
    expect(
      podAfter(...created, running, gone, beingDeleted, podDeleted(9, { name: 'pi-a', version: 16 })),
    ).toMatchObject({ end_message: 'deleted with its Job' });
  });

  it('is an eviction, with its message', () => {
    const status = { reason: 'Evicted', message: 'The node was low on resource: memory.' };
    expect(
      podAfter(...created, podObserved(9, aPod({ name: 'pi-a', version: 16, phase: 'Failed', status }))),
    ).toMatchObject({ end_message: 'evicted: The node was low on resource: memory.' });
  });

  it('is unknown when it was deleted while nothing watched', () => {
    expect(
      podAfter(...created, running, podDeleted(9, { name: 'pi-a', version: 11, seen: false })),
    ).toMatchObject({ end_message: 'gone while nobody watched' });
  });
});

describe('an older version that comes late', () => {
  it('changes nothing', () => {
    const now = podObserved(10, anEndedPod({ name: 'pi-a', version: 100, exitCode: 3, endedAt: 9 }));
    const old = podObserved(11, aPod({ name: 'pi-a', version: 99 }));
    expect(podsAfter(now, old)).toEqual(podsAfter(now));
  });
});
