import {
  COMPLETION_INDEX,
  CONTROLLER_UID_LABEL,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  OWN_FINALIZER,
  RESERVED_FINALIZER,
} from '../../kubernetes/names.ts';
import { controllerOf } from '../../kubernetes/controller.ts';
import type { ContainerStatus, Job, Pod } from '../../kubernetes/objects.ts';
import type { CommandAnswered, JobDecided, JobEvent, PodObserved, Unstamped } from '../events.ts';
import type { Fact, JobFacts, PodFacts } from '../facts.ts';
import { isTerminal } from '../definitions/pod-phase.ts';
import { plainNumbers } from './plain-numbers.ts';
import { finishedAtOf } from './finish-time.ts';
import { sidecarsOf } from './sidecars.ts';

/** What a record of the ledger means to a Job: a fact, or one of our own decisions and outcomes. */
export type Compacted = Fact | Unstamped<JobDecided> | Unstamped<CommandAnswered>;

/** Makes of a record what `evolve` folds and a signal carries; null for records that concern no state. */
export function compact(event: JobEvent): Compacted | null {
  const { id, digest } = event;
  switch (event.type) {
    case 'job.observed':
      return { id, digest, type: event.type, job: jobFacts(event.data.object) };
    case 'job.deleted':
      return { id, digest, type: event.type, resourceVersion: event.data.resourceVersion };
    case 'pod.observed':
      return { id, digest, type: event.type, pod: podFactsFor(event.data) };
    case 'pod.deleted': {
      const { podUid: uid, podName: name, resourceVersion } = event.data;
      return { id, digest, type: event.type, uid, name, resourceVersion };
    }
    case 'command.received':
      return { id, digest, type: event.type, command: event.data.command, by: event.data.by };
    case 'job.decided':
    case 'command.answered':
      return event;
    case 'job.folded':
    case 'cluster.connected':
    case 'cluster.gap':
      return null;
  }
}

/** What `decide` reads of a Job. Fields that may be absent get the API's defaults (J-1.2, J-15.9). */
export function jobFacts(job: Job): JobFacts {
  const { metadata, spec } = job;
  const { template, selector, ...rest } = spec;
  return {
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 1,
    deleting: metadata.deletionTimestamp !== undefined,
    spec: { ...plainNumbers(rest), selector: selector ?? {} },
    restartPolicy: template?.spec.restartPolicy ?? 'Never',
    status: job.status ?? {},
  };
}

/** As it concerns one Job: a Job that we never saw cannot tell itself who controls a pod. */
function podFactsFor({ jobUid, object, listedAt }: PodObserved['data']): PodFacts {
  const facts = podFacts(object);
  if (listedAt !== undefined) facts.listedAt = listedAt;
  if (facts.controller !== undefined && facts.controller !== jobUid) facts.elsewhere = true;
  return facts;
}

/** What `decide` reads of a pod; what has its usual value is left out. */
export function podFacts(pod: Pod): PodFacts {
  const { metadata, status } = pod;
  const phase = status?.phase ?? 'Pending';
  // A controller of any kind keeps others off (J-3.30, J-3.46); which Job it is, its uid tells.
  const controller = controllerOf(metadata)?.uid;
  const deleting = metadata.deletionTimestamp !== undefined;
  const ready = status?.conditions?.find(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );
  const { uid, name, resourceVersion, creationTimestamp } = metadata;
  const facts: PodFacts = { uid, name, resourceVersion, phase, createdAt: Date.parse(creationTimestamp) };
  if (metadata.finalizers?.some(isTracking) === true) facts.tracked = true;
  if (metadata.finalizers?.includes(OWN_FINALIZER) === true) facts.trackedByUs = true;
  if (controller !== undefined) facts.controller = controller;
  if (controller === undefined || metadata.labels?.[CONTROLLER_UID_LABEL] !== controller)
    facts.labels = metadata.labels ?? {};
  if (deleting) facts.deleting = true;
  if ((pod.spec.nodeName ?? '') !== '') facts.scheduled = true;
  if (ready !== undefined) {
    facts.ready = true;
    facts.readySince = Date.parse(ready.lastTransitionTime ?? '') || 0;
  }
  if (deleting || isTerminal(phase)) facts.finishedAt = finishedAtOf(pod);
  const failure = phase === 'Failed' ? failureFacts(pod) : earlyFailureFacts(pod);
  return Object.assign(facts, restartFacts(pod), indexFacts(metadata.annotations ?? {}), failure);
}

function isTracking(finalizer: string): boolean {
  return finalizer === OWN_FINALIZER || finalizer === RESERVED_FINALIZER;
}

function restartFacts({
  spec,
  status,
}: Pod): Pick<PodFacts, 'restarts' | 'maxRestarts' | 'maxSidecarRestarts'> {
  const regular = status?.containerStatuses ?? [];
  const init = status?.initContainerStatuses ?? [];
  const restarts = [...regular, ...init].reduce((total, { restartCount = 0 }) => total + restartCount, 0);
  const [most, mostOfSidecars] = [regular, sidecarsOf(spec, init)].map((statuses) =>
    Math.max(0, ...statuses.map(({ restartCount = 0 }) => restartCount)),
  );
  return {
    ...(restarts > 0 && { restarts }),
    ...(most !== undefined && most > 0 && { maxRestarts: most }),
    ...(mostOfSidecars !== undefined && mostOfSidecars > 0 && { maxSidecarRestarts: mostOfSidecars }),
  };
}

function indexFacts(
  annotations: Record<string, string>,
): Pick<PodFacts, 'index' | 'failureCount' | 'ignoredFailureCount'> {
  const index = countOf(annotations[COMPLETION_INDEX]);
  const failureCount = countOf(annotations[INDEX_FAILURE_COUNT]) ?? 0;
  const ignoredFailureCount = countOf(annotations[INDEX_IGNORED_FAILURE_COUNT]) ?? 0;
  return {
    ...(index !== undefined && { index }),
    ...(failureCount > 0 && { failureCount }),
    ...(ignoredFailureCount > 0 && { ignoredFailureCount }),
  };
}

/** J-0.4 and J-5.8: base-10, neither negative nor beyond 32 bits. */
function countOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\+?\d+$/.test(text)) return undefined;
  const number = Number(text);
  return number <= 2_147_483_647 ? number : undefined;
}

/** J-6.10: regular containers first, then init containers, each with its terminated state. */
function failureFacts({ status }: Pod): Pick<PodFacts, 'exits' | 'conditions'> {
  const containers = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const exits = containers.map(exitOf).filter((exit) => exit.code !== 0);
  const conditions = (status?.conditions ?? []).map(({ type, status: value }) => ({ type, status: value }));
  return { exits, conditions };
}

/**
 * A pod that has not failed yet counts as failed when it fails with its Job, and that too is up to the failure policy
 * (J-4.17): what is unusual about it. A policy on the conditions that every running pod has is not for running pods.
 */
function earlyFailureFacts(pod: Pod): Pick<PodFacts, 'exits' | 'conditions'> {
  if (pod.status?.phase === 'Succeeded') return {};
  const { exits = [], conditions = [] } = failureFacts(pod);
  const unusual = conditions.filter(({ type }) => !USUAL_CONDITIONS.has(type));
  return { ...(exits.length > 0 && { exits }), ...(unusual.length > 0 && { conditions: unusual }) };
}

/** What the scheduler and every kubelet set on each pod. */
const USUAL_CONDITIONS = new Set([
  'PodScheduled',
  'PodReadyToStartContainers',
  'Initialized',
  'ContainersReady',
  'Ready',
]);

function exitOf(container: ContainerStatus): { container: string; code: number } {
  return { container: container.name, code: container.state?.terminated?.exitCode ?? 0 };
}
