import { describe, expect, it } from '@jest/globals';
import { compact } from '../../../workflows/job/observe/compact.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { Fact } from '../../../workflows/job/facts.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { aJob, CLUSTER, JOB_NAME, JOB_UID, podObject, type PodFields } from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';
import { decideWithOutcomes } from '../../support/outcomes.ts';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import { INITIAL_STATE } from '../../../workflows/job/state.ts';

const two = { parallelism: 1, completions: 1 };

/** A pod that is recorded in the stream of the Job `default/pi`, wherever it is. */
function recordedPod(fields: PodFields, change: (pod: Pod) => Pod): Fact {
  const object = change(podObject(fields));
  const { uid, resourceVersion } = object.metadata;
  const event = {
    id: `${CLUSTER}/pod/${uid}/${resourceVersion}`,
    type: 'pod.observed',
    source: CLUSTER,
    subject: `${object.metadata.namespace}/${JOB_NAME}`,
    time: '2026-03-01T12:00:00.000Z',
    digest: resourceVersion,
    data: { cluster: CLUSTER, jobUid: JOB_UID, object },
  };
  return compact(event as JobEvent) as Fact;
}

function inAnotherNamespace(fields: PodFields): Fact {
  return recordedPod(fields, (pod) => ({ ...pod, metadata: { ...pod.metadata, namespace: 'attacker' } }));
}

function ofAnotherName(fields: PodFields): Fact {
  return recordedPod(fields, (pod) => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      ownerReferences: (pod.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, name: 'other' })),
    },
  }));
}

describe.each([
  { where: 'in another namespace', recorded: inAnotherNamespace },
  { where: 'of an owner with the UID of the Job and another name', recorded: ofAnotherName },
])('a pod $where', ({ recorded }) => {
  it.each(['Succeeded', 'Failed'])('does not end the Job of that name when the pod has %s', (phase) => {
    given(aJob({ ...two, backoffLimit: 0 }))
      .and(recorded({ phase }))
      .when(null)
      .thenCommands('+1', 'status')
      .thenStatus({ active: 1 });
  });

  it.each(['Running', 'Succeeded', 'Failed'])(
    'does not belong to the Job when it was recorded before the Job, %s',
    (phase) => {
      const state = fold(INITIAL_STATE, [
        recorded({ phase, name: 'early' }),
        aJob({ ...two, backoffLimit: 0 }),
      ]);
      expect(state.pods).toEqual({});
      expect(state.uncounted).toEqual({ succeeded: [], failed: [] });
    },
  );

  it('is not active for the Job, so that the Job creates a pod of its own', () => {
    given(aJob(two))
      .and(recorded({ phase: 'Running' }))
      .when(null)
      .thenCommands('+1', 'status');
  });
});

describe('a pod that was recorded before its Job', () => {
  it('belongs to the Job after the Job is recorded', () => {
    const pod = recordedPod({ phase: 'Succeeded', name: 'early' }, (object) => object);
    const state = fold(INITIAL_STATE, [pod, aJob(two)]);
    expect(state.uncounted.succeeded).toEqual(['uid-of-early']);
    expect(JSON.stringify(state.pods)).not.toContain('namespace');
  });
});

describe('a pod with its own stream, whose controller does not exist in its namespace', () => {
  it('is released when no Job is found', () => {
    const object = podObject({ name: 'copied', uid: 'copied-uid' });
    const event = {
      id: 'e',
      type: 'pod.observed',
      source: CLUSTER,
      subject: 'restored/copied',
      time: '2026-03-01T12:00:00.000Z',
      digest: 'd',
      data: { cluster: CLUSTER, jobUid: 'copied-uid', object },
    };
    const seen = compact(event as JobEvent) as Fact;
    const { state } = decideWithOutcomes(fold(INITIAL_STATE, [seen]), {
      after: 0,
      outcomes: () => [{ kind: 'LookUpJob', job: null }],
    });
    givenState(state).when(null).thenCommands('~1');
  });
});

describe('a pod without a controller in another namespace', () => {
  it('is not adopted, whatever its labels', () => {
    given(aJob(two))
      .and(inAnotherNamespace({ controller: 'none', untracked: true }))
      .when(null)
      .thenCommands('+1', 'status');
  });
});
