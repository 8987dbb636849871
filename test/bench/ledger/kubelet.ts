import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { setPod, timeAt, type ModelApi } from '../../support/model-cluster-api.ts';
import type { PodEnd } from './stories.ts';

/** Scheduler and kubelet of the model cluster, each step at its time. */
export interface Kubelet {
  /** When the next pod makes a step; Infinity when none does. */
  nextAt(): number;
  /** Every pod that is due makes one step. */
  step(): void;
}

type Status = NonNullable<Pod['status']>;

const NODES = 12;

export function createKubelet(
  api: ModelApi,
  choosePodEnd: (creation: number) => PodEnd,
  chance: () => number,
): Kubelet {
  const ends = new Map<string, PodEnd>();
  /** By uid and stage: when the stage is over. */
  const due = new Map<string, number>();
  const end = (pod: Pod): PodEnd => {
    const { uid } = pod.metadata;
    const known =
      ends.get(uid) ?? choosePodEnd(api.created.findIndex(({ metadata }) => metadata.uid === uid));
    ends.set(uid, known);
    return known;
  };
  const dueTime = (pod: Pod): number => {
    const key = `${pod.metadata.uid} ${podStage(pod)}`;
    const at = due.get(key) ?? api.now + stageLength(pod, end, chance);
    due.set(key, at);
    return at;
  };
  return {
    nextAt: () => Math.min(Infinity, ...[...api.pods.values()].map(dueTime)),
    step() {
      for (const pod of api.pods.values()) if (dueTime(pod) <= api.now) goOn(api, pod, end, chance);
    },
  };
}

function podStage({ metadata, spec, status }: Pod): string {
  const { deletionTimestamp = '', deletionGracePeriodSeconds = '' } = metadata;
  return [spec.nodeName, status?.phase, deletionTimestamp, deletionGracePeriodSeconds].join(' ');
}

/** Milliseconds. */
function stageLength(pod: Pod, end: (pod: Pod) => PodEnd, chance: () => number): number {
  const phase = pod.status?.phase ?? 'Pending';
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  if (isTerminal(phase)) return isGoing && pod.metadata.deletionGracePeriodSeconds !== 0 ? 50 : Infinity;
  if (isGoing) return 1500;
  if (pod.spec.nodeName === undefined) return 100 + 1400 * chance();
  return phase === 'Pending' ? 800 + 7000 * chance() ** 2 : end(pod).after * 1000;
}

function goOn(api: ModelApi, pod: Pod, end: (pod: Pod) => PodEnd, chance: () => number): void {
  const phase = pod.status?.phase ?? 'Pending';
  const { metadata } = pod;
  if (isTerminal(phase)) setPod(api, { ...pod, metadata: { ...metadata, deletionGracePeriodSeconds: 0 } });
  else if (metadata.deletionTimestamp !== undefined)
    setPod(api, { ...pod, status: ended(api, pod, { after: 0, exit: 143 }) });
  else if (pod.spec.nodeName === undefined)
    setPod(api, { ...pod, spec: { ...pod.spec, nodeName: `node-${Math.floor(chance() * NODES)}` } });
  else setPod(api, { ...pod, status: phase === 'Pending' ? running(api) : ended(api, pod, end(pod)) });
}

function running({ now }: ModelApi): Status {
  const state = { running: { startedAt: timeAt(now) } };
  return {
    phase: 'Running',
    startTime: timeAt(now - 1000),
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: timeAt(now - 1000) },
      { type: 'Ready', status: 'True', lastTransitionTime: timeAt(now) },
    ],
    containerStatuses: [{ name: 'main', restartCount: 0, state }],
  };
}

function ended({ now }: ModelApi, { status }: Pod, { exit, reason }: PodEnd): Status {
  const message = reason === 'OOMKilled' ? reason : exit === 0 ? 'Completed' : 'Error';
  const terminated = { exitCode: exit, reason: message, finishedAt: timeAt(now) };
  const isEvicted = reason === 'Evicted';
  const disruption = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' };
  return {
    ...status,
    phase: exit === 0 ? 'Succeeded' : 'Failed',
    ...(isEvicted && { reason, message: 'The node was low on resource: memory.' }),
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: timeAt(now) },
      { type: 'Ready', status: 'False', reason: 'PodCompleted', lastTransitionTime: timeAt(now) },
      ...(isEvicted ? [{ ...disruption, lastTransitionTime: timeAt(now) }] : []),
    ],
    containerStatuses: [{ name: 'main', restartCount: 0, state: { terminated } }],
  };
}
