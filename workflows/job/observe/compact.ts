import {
  COMPLETION_INDEX,
  CONTROLLER_UID_LABEL,
  GROUP_TEMPLATE_NAME,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  OWN_FINALIZER,
  RESERVED_FINALIZER,
} from '../../kubernetes/names.ts';
import { findController } from '../../kubernetes/controller.ts';
import type { ContainerStatus, Job, Pod } from '../../kubernetes/objects.ts';
import type { AwaitedJob, OutcomeRecorded, JobDecided, JobEvent, PodObserved } from '../events.ts';
import type { InEpoch, Unstamped } from '../../ledger/recorded-event.ts';
import type { AwaitedFacts, Fact, PodFacts } from '../facts.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { isTerminal } from '../definitions/pod-phase.ts';
import { jobAnnotations } from './job-annotations.ts';
import { plainNumbers } from '../../ledger/plain-numbers.ts';
import { requestIn } from '../../decision/user-requests.ts';
import { podFinishTime } from './finish-time.ts';
import { sidecarStatuses } from './sidecars.ts';

/** A ledger record as the core folds it: a fact, a decision or an outcome. */
export type Compacted = Fact | Unstamped<JobDecided> | Unstamped<OutcomeRecorded>;

/**
 * Converts a ledger record into the fact that is folded and signalled; returns null for records that do not change
 * the state of a Job.
 */
export function compact(event: JobEvent): Compacted | null {
  const { id, digest } = event;
  switch (event.type) {
    case 'job.observed':
      return { id, digest, ...epochField(event.data), type: event.type, job: jobFacts(event.data.object) };
    case 'job.deleted': {
      const { resourceVersion } = event.data;
      return { id, digest, ...epochField(event.data), type: event.type, resourceVersion };
    }
    case 'pod.observed':
      return { id, digest, ...epochField(event.data), type: event.type, pod: podFactsFor(event.data) };
    case 'pod.deleted': {
      const { podUid: uid, podName: name, resourceVersion } = event.data;
      return { id, digest, ...epochField(event.data), type: event.type, uid, name, resourceVersion };
    }
    case 'request.received':
      return { id, digest, type: event.type, ...requestIn(event.data) };
    case 'awaited-job.observed':
      return { id, digest, type: event.type, awaited: awaitedFacts(event.data.awaited) };
    case 'job.decided':
    case 'outcome.recorded':
      return event;
    case 'job.folded':
    case 'job.snapshotted':
    case 'submission.received':
    case 'job.submitted':
    case 'api-request.audited':
    case 'kubernetes-event.observed':
    case 'job.detached':
    case 'cluster.connected':
    case 'cluster.gap':
    case 'kubernetes-events.dropped':
    case 'cluster.restored':
    case 'cluster.detached':
    case 'prices.applied':
    case 'node.observed':
    case 'node.deleted':
      return null;
  }
}

/** The field `epoch` of an event for its fact; empty before the first restore. */
function epochField({ epoch }: InEpoch): InEpoch {
  return epoch === undefined ? {} : { epoch };
}

/** The facts about an awaited Job, with instants in milliseconds. */
function awaitedFacts({ end, since, ...awaited }: AwaitedJob): AwaitedFacts {
  return {
    ...awaited,
    ...(end !== undefined && { end: { ...end, at: Date.parse(end.at) } }),
    ...(since !== undefined && { since: Date.parse(since) }),
  };
}

/** Reads a Job object. Absent fields get the defaults of the API (J-1.2, J-15.9). */
export function jobFacts(job: Job): JobFacts {
  const { metadata, spec } = job;
  const { template, selector, ...rest } = spec;
  const annotations = jobAnnotations(metadata.annotations);
  return {
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: plainNumbers(metadata.generation ?? 1),
    deleting: metadata.deletionTimestamp !== undefined,
    spec: { ...plainNumbers(rest), selector: selector ?? {} },
    restartPolicy: template?.spec.restartPolicy ?? 'Never',
    ...(template?.spec.schedulingGroup !== undefined && { hasSchedulingGroup: true }),
    ...(findController(metadata) !== undefined && { controlled: true }),
    // The ledger may have only the name, without the value.
    ...(metadata.annotations?.[GROUP_TEMPLATE_NAME] !== undefined && { delegated: true }),
    status: plainNumbers(job.status ?? {}),
    ...(annotations !== undefined && { annotations }),
  };
}

/**
 * Adapts the facts about a pod to the stream of one Job: marks whether the controller of the pod is that Job. A pod
 * in its own stream waits to be released, whatever controller it names (J-3.46).
 */
function podFactsFor({ jobUid, object, listedAt }: PodObserved['data']): PodFacts {
  const facts = podFacts(object);
  if (listedAt !== undefined) facts.listedAt = listedAt;
  const isOwnStream = facts.uid === jobUid;
  if (facts.controller !== undefined && facts.controller !== jobUid && !isOwnStream) facts.elsewhere = true;
  return facts;
}

/** Reads a pod object; fields with their usual value are left out. */
export function podFacts(recorded: Pod): PodFacts {
  const status = plainNumbers(recorded.status);
  const pod: Pod = status === undefined ? recorded : { ...recorded, status };
  const { metadata } = pod;
  const phase = status?.phase ?? 'Pending';
  // A controller of any kind prevents adoption (J-3.30, J-3.46).
  const owner = findController(metadata);
  const controller = owner?.uid;
  const deleting = metadata.deletionTimestamp !== undefined;
  const ready = status?.conditions?.find(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );
  const { uid, namespace, name, resourceVersion, creationTimestamp } = metadata;
  const facts: PodFacts = {
    uid,
    namespace,
    name,
    resourceVersion,
    phase,
    createdAt: Date.parse(creationTimestamp),
  };
  if (metadata.finalizers?.some(isTracking) === true) facts.tracked = true;
  if (metadata.finalizers?.includes(OWN_FINALIZER) === true) facts.trackedByUs = true;
  if (controller !== undefined) facts.controller = controller;
  if (owner?.name !== undefined) facts.controllerName = owner.name;
  if (controller === undefined || metadata.labels?.[CONTROLLER_UID_LABEL] !== controller)
    facts.labels = metadata.labels ?? {};
  if (deleting) facts.deleting = true;
  if ((pod.spec.nodeName ?? '') !== '') facts.scheduled = true;
  if (ready !== undefined) {
    facts.ready = true;
    facts.readySince = Date.parse(ready.lastTransitionTime ?? '') || 0;
  }
  if (deleting || isTerminal(phase)) facts.finishedAt = podFinishTime(pod);
  const failure = phase === 'Failed' ? failureFacts(pod) : earlyFailureFacts(pod);
  return Object.assign(facts, restartFacts(pod), indexFacts(metadata.annotations ?? {}), failure);
}

/** True for a tracking finalizer of either name. */
function isTracking(finalizer: string): boolean {
  return finalizer === OWN_FINALIZER || finalizer === RESERVED_FINALIZER;
}

/** The numbers of restarts of the containers of a pod. */
function restartFacts({
  spec,
  status,
}: Pod): Pick<PodFacts, 'restarts' | 'maxRestarts' | 'maxSidecarRestarts'> {
  const regular = status?.containerStatuses ?? [];
  const init = status?.initContainerStatuses ?? [];
  const restarts = [...regular, ...init].reduce((total, { restartCount = 0 }) => total + restartCount, 0);
  const [most, mostOfSidecars] = [regular, sidecarStatuses(spec, init)].map((statuses) =>
    Math.max(0, ...statuses.map(({ restartCount = 0 }) => restartCount)),
  );
  return {
    ...(restarts > 0 && { restarts }),
    ...(most !== undefined && most > 0 && { maxRestarts: most }),
    ...(mostOfSidecars !== undefined && mostOfSidecars > 0 && { maxSidecarRestarts: mostOfSidecars }),
  };
}

/** The completion index and the failure counts in the annotations of a pod. */
function indexFacts(
  annotations: Record<string, string>,
): Pick<PodFacts, 'index' | 'failureCount' | 'ignoredFailureCount'> {
  const index = parseCount(annotations[COMPLETION_INDEX]);
  const failureCount = parseCount(annotations[INDEX_FAILURE_COUNT]) ?? 0;
  const ignoredFailureCount = parseCount(annotations[INDEX_IGNORED_FAILURE_COUNT]) ?? 0;
  return {
    ...(index !== undefined && { index }),
    ...(failureCount > 0 && { failureCount }),
    ...(ignoredFailureCount > 0 && { ignoredFailureCount }),
  };
}

/** Parses a decimal number from 0 to 2^31 - 1 (J-0.4, J-5.8). */
function parseCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\+?\d+$/.test(text)) return undefined;
  const number = Number(text);
  return number <= 2_147_483_647 ? number : undefined;
}

/** The exit codes of regular containers, followed by those of init containers (J-6.10). */
function failureFacts({ status }: Pod): Pick<PodFacts, 'exits' | 'conditions'> {
  const containers = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const exits = containers.map(containerExit).filter((exit) => exit.code !== 0);
  const conditions = (status?.conditions ?? []).map(({ type, status: value }) => ({ type, status: value }));
  return { exits, conditions };
}

/**
 * The exit codes and conditions of a pod that still runs, because it may be counted as failed when its Job fails, and
 * the pod failure policy then applies to it too (J-4.17). Conditions that every running pod has are left out.
 */
function earlyFailureFacts(pod: Pod): Pick<PodFacts, 'exits' | 'conditions'> {
  if (pod.status?.phase === 'Succeeded') return {};
  const { exits = [], conditions = [] } = failureFacts(pod);
  const unusual = conditions.filter(({ type }) => !USUAL_CONDITIONS.has(type));
  return { ...(exits.length > 0 && { exits }), ...(unusual.length > 0 && { conditions: unusual }) };
}

/** Conditions that the scheduler and the kubelet set on every pod. */
const USUAL_CONDITIONS = new Set([
  'PodScheduled',
  'PodReadyToStartContainers',
  'Initialized',
  'ContainersReady',
  'Ready',
]);

/** The exit code of a container. */
function containerExit(container: ContainerStatus): { container: string; code: number } {
  return { container: container.name, code: container.state?.terminated?.exitCode ?? 0 };
}
