import { describe, expect, it } from '@jest/globals';
import { followRuns, noRuns } from '../../workflows/history/verify/runs.ts';
import { podName } from '../../workflows/job/definitions/pod-names.ts';
import type { JobEvent, PodObserved } from '../../workflows/job/events.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import {
  at,
  CLUSTER,
  JOB_NAME,
  JOB_UID,
  jobObject,
  nextVersion,
  podObject,
  START,
  type PodFields,
} from '../support/builders.ts';

function recorded(type: JobEvent['type'], data: object): JobEvent {
  const id = `${type}/${nextVersion()}`;
  const event = { id, type, source: CLUSTER, subject: `default/${JOB_NAME}`, time: at(0), digest: id };
  return { ...event, data: { cluster: CLUSTER, jobUid: JOB_UID, ...data } } as JobEvent;
}

function podSeen(fields: PodFields, more: Partial<PodObserved['data']> = {}): JobEvent {
  return recorded('pod.observed', { object: podObject(fields), ...more });
}

function outcome(answer: object): JobEvent {
  const full = { ...answer, at: START } as Outcome;
  return recorded('outcome.recorded', { decision: 'd', command: 0, attempt: 1, outcome: full });
}

function created(ordinal: number, version = nextVersion()): JobEvent {
  const name = podName({ uid: JOB_UID, name: JOB_NAME }, ordinal);
  const pod = { ordinal, name, result: 'created', uid: `uid-of-${name}`, resourceVersion: version };
  return outcome({ kind: 'CreatePods', generation: 1, pods: [pod] });
}

function finished(version = nextVersion()): Job {
  const condition = { type: 'Complete', status: 'True', lastProbeTime: at(1), lastTransitionTime: at(1) };
  return jobObject({ version, status: { succeeded: 1, conditions: [condition] } });
}

function findingTexts(...events: JobEvent[]): string[] {
  const runs = noRuns();
  return events.flatMap((event) => followRuns(runs, event)).map(({ message }) => message);
}

const LATE = /^pod pi-\w{5} was created after its Job had ended$/;
const TWICE = /^index 0 ran twice at once: in pod pi-0-\w{5} and in pod pi-0-\w{5}$/;

describe('a pod that is created for a Job', () => {
  it('is reported when the Job had already ended', () => {
    const end = recorded('job.observed', { object: finished() });
    expect(findingTexts(end, created(0))).toEqual([expect.stringMatching(LATE)]);
  });

  it('is also reported when the ledger has its creation before the end of the Job', () => {
    const end = recorded('job.observed', { object: finished(nextVersion()) });
    const late = created(0);
    expect(findingTexts(late, end)).toEqual([expect.stringMatching(LATE)]);
  });

  it('is not reported when it is older than the end of the Job', () => {
    const early = created(0);
    expect(findingTexts(recorded('job.observed', { object: finished() }), early)).toEqual([]);
  });

  it('is not compared with an end before a restore, because the versions start again at a restore', () => {
    const end = recorded('job.observed', { object: finished('9000') });
    const again = recorded('job.observed', { object: jobObject({ version: '50' }), epoch: 1 });
    expect(findingTexts(end, again, created(0, '60'))).toEqual([]);
  });
});

describe('an index of a Job in the ledger', () => {
  const first = { ordinal: 0, index: 0, created: 0 };
  const second = { ordinal: 1, index: 0, created: 10 };

  it('is found to run twice when one pod is observed running after another pod was created', () => {
    expect(findingTexts(podSeen(first), podSeen(second), podSeen(first))).toEqual([
      expect.stringMatching(TWICE),
    ]);
  });

  it('is found to run twice when the first pod ends long after the creation of the second pod', () => {
    const end = podSeen({ ...first, phase: 'Succeeded', finished: 20, version: '6000' });
    expect(findingTexts(podSeen(first), podSeen(second), end)).toEqual([expect.stringMatching(TWICE)]);
  });

  it.each([
    ['ended before', podSeen({ ...first, phase: 'Failed', finished: 9, version: '6000' })],
    ['was deleted before', podSeen({ ...first, deleted: 9, version: '6000' })],
  ])('is found to run once when the first pod %s and the watch had missed that end', (_how, end) => {
    expect(findingTexts(podSeen(first), podSeen(second), end)).toEqual([]);
  });

  it('is found to run once when the first pod was observed terminating before the second pod', () => {
    const terminating = podSeen({ ...first, deleted: 9 });
    expect(
      findingTexts(podSeen(first), terminating, podSeen(second), podSeen({ ...first, deleted: 9 })),
    ).toEqual([]);
  });

  it('is found to run once when the first pod is released after the creation of the second pod', () => {
    const [end, released] = [
      { ...first, phase: 'Failed', finished: 5 },
      { ...first, untracked: true },
    ];
    const events = [podSeen(first), podSeen(end), podSeen(second)];
    expect(
      findingTexts(...events, podSeen({ ...released, phase: 'Failed', finished: 5 }), podSeen(second)),
    ).toEqual([]);
  });

  it('is not found to run twice when the second pod has a name that Jobledger did not choose', () => {
    const foreign = { ...second, name: 'orphan' };
    expect(findingTexts(podSeen(first), podSeen(foreign), podSeen(first))).toEqual([]);
  });

  it('is found to run twice when the annotation of its running pod was edited, and another pod took its place', () => {
    const edited = { ...first, index: 1, name: podName({ uid: JOB_UID, name: JOB_NAME }, 0, 0) };
    const events = [podSeen(first), podSeen(edited), podSeen(second), podSeen(edited)];
    expect(findingTexts(...events)).toEqual([expect.stringMatching(TWICE)]);
  });

  it('is found to run once when the annotation of its pod was edited and the pod ended before the next pod', () => {
    const edited = { ...first, index: 1, name: podName({ uid: JOB_UID, name: JOB_NAME }, 0, 0) };
    const end = podSeen({ ...edited, phase: 'Failed', finished: 5 });
    expect(findingTexts(podSeen(first), podSeen(edited), end, podSeen(second), podSeen(second))).toEqual([]);
  });

  it('is not found to run twice because the ledger repeats records', () => {
    const again = podSeen(first);
    const end = podSeen({ ...first, phase: 'Failed', finished: 5 });
    expect(findingTexts(again, end, again, podSeen(second), again)).toEqual([]);
  });
});
