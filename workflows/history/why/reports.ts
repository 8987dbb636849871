import type { KubernetesEventObserved, PodObserved } from '../../job/events.ts';
import { kubernetesEventLine } from '../timeline/kubernetes-event-line.ts';
import type { StreamIndex } from './stream-index.ts';
import type { WhyAnswer } from './types.ts';

/** The reasons of Events about a pod that has no node yet. */
const UNTIL_BOUND: readonly string[] = ['FailedScheduling', 'TriggeredScaleUp', 'NotTriggerScaleUp'];

/**
 * The answer about what pods that have not started wait for, according to the Events of other programs: the latest Event
 * about one of them. Empty without such an Event. `pods` are the UIDs of the pods; by default all pods of the Job.
 */
export function reportAnswers(
  { events }: Pick<StreamIndex, 'events'>,
  pods?: ReadonlySet<string>,
): WhyAnswer[] {
  const waiting = waitingPods({ events });
  const latest = new Map<string, KubernetesEventObserved>();
  for (const event of events) {
    if (event.type !== 'kubernetes-event.observed') continue;
    const { regarding, reason, lastAt } = event.data;
    const pod = waiting.get(regarding.uid);
    if (pod === undefined || (pods !== undefined && !pods.has(regarding.uid))) continue;
    if (isBound(pod) && UNTIL_BOUND.includes(reason)) continue;
    const known = latest.get(regarding.uid);
    if (known === undefined || known.data.lastAt <= lastAt) latest.set(regarding.uid, event);
  }
  const all = [...latest.values()].toSorted((a, b) => (a.data.lastAt < b.data.lastAt ? -1 : 1));
  const newest = all.at(-1);
  if (newest === undefined) return [];
  const { about, message } = kubernetesEventLine(newest.data);
  const others = all.length === 1 ? '' : ` (and ${all.length - 1} more with an Event)`;
  return [
    { question: 'what a pod waits for', message: `${about}${others}: ${message}`, because: [newest.id] },
  ];
}

/** The latest observation of each pod that exists and has not started, by UID. */
function waitingPods({ events }: Pick<StreamIndex, 'events'>): Map<string, PodObserved> {
  const pods = new Map<string, PodObserved>();
  for (const event of events) {
    if (event.type === 'pod.observed') pods.set(event.data.object.metadata.uid, event);
    if (event.type === 'pod.deleted') pods.delete(event.data.podUid);
  }
  for (const [uid, { data }] of pods) {
    const { phase = 'Pending' } = data.object.status ?? {};
    if (phase !== 'Pending') pods.delete(uid);
  }
  return pods;
}

function isBound({ data }: PodObserved): boolean {
  return (data.object.spec as { nodeName?: string } | undefined)?.nodeName !== undefined;
}
