import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import { podFacts } from '../../../workflows/job/observe/compact.ts';
import { isSidecar } from '../../../workflows/job/observe/sidecars.ts';
import { plainNumbers } from '../../../workflows/ledger/plain-numbers.ts';
import type { Condition, ContainerStatus, Pod } from '../../../workflows/kubernetes/objects.ts';
import type { PodRow } from '../../read-model/tables/pods.ts';
import { toTimestamp, instantAt } from './instants.ts';

/** The fields of containers that decisions do not read. */
interface ContainerState {
  terminated?: { exitCode: number; reason?: string; message?: string };
  waiting?: { reason?: string; message?: string };
}

type ObjectColumns = Pick<
  PodRow,
  | 'completion_index'
  | 'phase'
  | 'exit_code'
  | 'reason'
  | 'message'
  | 'container'
  | 'node'
  | 'restarts'
  | 'restarted'
  | 'labels'
  | 'created_at'
  | 'started_at'
  | 'finished_at'
  | 'deletion_requested_at'
>;

/** The columns that come from the observed object. */
export function columnsOfPod(object: Pod): ObjectColumns {
  const facts = podFacts(object);
  const ended = isTerminal(facts.phase);
  return {
    completion_index: facts.index ?? null,
    phase: facts.phase,
    ...explainEnd(object),
    node: object.spec.nodeName ?? null,
    restarts: facts.restarts ?? 0,
    restarted: restartText(object),
    labels: object.metadata.labels ?? {},
    created_at: instantAt(facts.createdAt),
    started_at: toTimestamp(object.status?.startTime),
    finished_at: ended ? instantAt(facts.finishedAt) : null,
    deletion_requested_at: deletionRequestedAt(object),
  };
}

/** The time at which the pod became ready; null when the pod is not ready. */
export function readySince(object: Pod): string | null {
  const ready = findCondition(object, 'Ready');
  return ready?.status === 'True' ? toTimestamp(ready.lastTransitionTime) : null;
}

/** The condition that Kubernetes sets when a pod was ended by a disruption (J-6.10). */
export function findDisruption(object: Pod): Condition | undefined {
  const condition = findCondition(object, 'DisruptionTarget');
  return condition?.status === 'True' ? condition : undefined;
}

function findCondition({ status }: Pod, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The reason why a pod failed, or has not started. */
function explainEnd(object: Pod): Pick<PodRow, 'exit_code' | 'reason' | 'message' | 'container'> {
  const { status } = object;
  const regular = (status?.containerStatuses ?? []).map(containerState);
  const init = status?.initContainerStatuses ?? [];
  const all = [...regular, ...init.map(containerState)];
  const failed = all.find((state) => (state.terminated?.exitCode ?? 0) !== 0);
  const waiting = all.find((state) => state.waiting !== undefined);
  const done = regular.length > 0 && regular.every((state) => state.terminated !== undefined);
  const shown = failed ?? (done ? regular[0] : waiting);
  const container = failed === undefined && !done ? shown?.waiting : shown?.terminated;
  const scheduling = unscheduledCondition(object);
  const ofInit = init.find((each) => each.state !== undefined && each.state === shown);
  return {
    exit_code: failed?.terminated?.exitCode ?? (done ? 0 : null),
    reason: status?.reason ?? container?.reason ?? scheduling?.reason ?? null,
    message: status?.message ?? container?.message ?? scheduling?.message ?? null,
    container: ofInit === undefined ? null : containerText(object, ofInit.name),
  };
}

/** A text that names the containers that have restarted, and the number of their restarts. */
function restartText(object: Pod): string | null {
  const { containerStatuses: regular = [], initContainerStatuses: init = [] } = object.status ?? {};
  const restarted = [...init, ...regular].filter(({ restartCount = 0 }) => restartCount > 0);
  const texts = restarted.map(({ name, restartCount }) => `${containerText(object, name)} ×${restartCount}`);
  return texts.length === 0 ? null : texts.join(', ');
}

function containerText({ spec: { initContainers = [] } }: Pod, name: string): string {
  const ofInit = initContainers.find((each) => each.name === name);
  if (ofInit === undefined) return `container ${name}`;
  return `${isSidecar(ofInit) ? 'sidecar' : 'init container'} ${name}`;
}

/** The condition of a pending pod that contains the reason why the pod has no node. */
function unscheduledCondition(object: Pod): Condition | undefined {
  const scheduled = findCondition(object, 'PodScheduled');
  return object.status?.phase === 'Pending' && scheduled?.status === 'False' ? scheduled : undefined;
}

function containerState(status: ContainerStatus): ContainerState {
  return status.state ?? {};
}

function deletionRequestedAt({ metadata }: Pod): string | null {
  if (metadata.deletionTimestamp === undefined) return null;
  const deletion = Date.parse(metadata.deletionTimestamp);
  return instantAt(deletion - plainNumbers(metadata.deletionGracePeriodSeconds ?? 0) * 1000);
}
