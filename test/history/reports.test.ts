import { describe, expect, it } from '@jest/globals';
import { replaySteps } from '../../workflows/history/replay/replay-steps.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import { why } from '../../workflows/history/why/why.ts';
import { podName } from '../../workflows/job/definitions/pod-names.ts';
import type { KubernetesEventObserved } from '../../workflows/job/events.ts';
import { JOB_NAME, JOB_UID } from '../support/builders.ts';
import { aKubernetesEvent } from './a-kubernetes-event.ts';
import { aRecording, type Recording } from './a-recording.ts';

const FIRST = podName({ uid: JOB_UID, name: JOB_NAME }, 0);

/** A Job with one pod that is pending. */
function pending(): Recording {
  const recording = aRecording();
  recording.job(0, { completions: 1 });
  recording.decides(0);
  recording.pod(1, { name: FIRST, phase: 'Pending', unscheduled: true });
  return recording;
}

/** Adds an Event about the pod, this many seconds after the start of the minute. */
function reported(
  recording: Recording,
  second: number,
  members: Partial<KubernetesEventObserved['data']>,
): void {
  const seen = recording.events.findLast((event) => event.type === 'pod.observed');
  if (seen?.type !== 'pod.observed') throw new Error('no pod was observed');
  const { uid, name } = seen.data.object.metadata;
  const lastAt = `2026-03-01T12:01:${String(second).padStart(2, '0')}.000Z`;
  const eventUid = `e${recording.events.length}`;
  recording.events.push(
    aKubernetesEvent(seen, { lastAt, eventUid, regarding: { kind: 'Pod', uid, name }, ...members }),
  );
}

function waitIn(recording: Recording, pod?: string): string | undefined {
  const answer = why(recording.events, pod === undefined ? { about: 'job' } : { about: 'pod', pod });
  if (isRefused(answer)) throw new Error(answer.message);
  return answer.answers.find(({ question }) => question === 'what a pod waits for')?.message;
}

describe('the answer of the verb why about a pod that has not started', () => {
  it('names the latest Event about it, for the Job and for the pod', () => {
    const recording = pending();
    reported(recording, 2, {});
    reported(recording, 9, {
      reason: 'NotTriggerScaleUp',
      reportedBy: 'cluster-autoscaler',
      note: 'no group',
    });
    const message = `pod ${FIRST}: cluster-autoscaler reports NotTriggerScaleUp: no group`;
    expect([waitIn(recording), waitIn(recording, FIRST)]).toEqual([message, message]);
  });

  it('names no Event of the scheduler once the pod has a node, and none once it runs', () => {
    const recording = pending();
    reported(recording, 2, {});
    recording.pod(10, { name: FIRST, phase: 'Pending' });
    expect(waitIn(recording)).toBeUndefined();
    reported(recording, 12, { reason: 'FailedMount', reportedBy: 'kubelet', note: '' });
    expect(waitIn(recording)).toBe(`pod ${FIRST}: kubelet reports FailedMount`);
    recording.pod(20, { name: FIRST, phase: 'Running' });
    expect(waitIn(recording)).toBeUndefined();
  });
});

describe('the time line of a Job', () => {
  it('tells each Event in a sentence that names the preemptor and the end of the budget', () => {
    const recording = pending();
    const related = { kind: 'Pod', namespace: 'other', name: 'urgent-1' };
    reported(recording, 2, { reason: 'Preempted', note: 'Preempted by pod u1 on node n1', related });
    reported(recording, 3, { reason: 'BackOff', reportedBy: 'kubelet', note: '', isLast: true });
    const steps = replaySteps(recording.events, 'end');
    if (isRefused(steps)) throw new Error(steps.message);
    expect(steps.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'default-scheduler reports Preempted (Pod other/urgent-1): Preempted by pod u1 on node n1',
        'kubelet reports BackOff; further Events like it are only counted',
      ]),
    );
  });
});
