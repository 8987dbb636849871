import { isTerminal } from '../../workflows/job/definitions/pod-phase.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { setPod, timeAt, type ModelApi } from './model-cluster-api.ts';

/** The end of each pod, by order of creation. A pod that stays Running ends when it is deleted. */
export type Fate = (creation: number, pod: Pod) => 'Succeeded' | 'Failed' | 'Running';

/** One step in the life of a pod, as scheduler, kubelet and PodGC make it; false when none is left. */
export function stepPod(api: ModelApi, name: string, fate: Fate): boolean {
  const pod = api.pods.get(name);
  if (pod === undefined) return false;
  const phase = pod.status?.phase ?? 'Pending';
  if (pod.metadata.deletionTimestamp !== undefined) return stepDeleting(api, pod, phase);
  if (isTerminal(phase)) return false;
  if ((pod.spec.nodeName ?? '') === '') setPod(api, { ...pod, spec: { ...pod.spec, nodeName: 'node-1' } });
  else if (phase === 'Pending') setPod(api, { ...pod, status: running(api) });
  else return endByItself(api, pod, fate(creationIndex(api, pod), pod));
  return true;
}

function endByItself(api: ModelApi, pod: Pod, phase: ReturnType<Fate>): boolean {
  if (phase !== 'Running') setPod(api, { ...pod, status: ended(api, phase) });
  return phase !== 'Running';
}

/** A deleted pod is stopped; then its object goes as soon as nothing holds it. */
function stepDeleting(api: ModelApi, pod: Pod, phase: string): boolean {
  if (!isTerminal(phase)) setPod(api, { ...pod, status: ended(api, 'Failed') });
  else if (pod.metadata.deletionGracePeriodSeconds !== 0)
    setPod(api, { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 } });
  else return false;
  return true;
}

function creationIndex(api: ModelApi, { metadata }: Pod): number {
  return api.created.findIndex((each) => each.metadata.uid === metadata.uid);
}

function running(api: ModelApi): NonNullable<Pod['status']> {
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: timeAt(api.now) };
  return { phase: 'Running', conditions: [ready], containerStatuses: [{ name: 'main', restartCount: 0 }] };
}

function ended(api: ModelApi, phase: 'Succeeded' | 'Failed'): NonNullable<Pod['status']> {
  const terminated = { exitCode: phase === 'Failed' ? 1 : 0, finishedAt: timeAt(api.now) };
  return { phase, containerStatuses: [{ name: 'main', restartCount: 0, state: { terminated } }] };
}
