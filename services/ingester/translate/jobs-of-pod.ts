import { matchesSelector } from '../../../workflows/job/definitions/selector.ts';
import { findController, namedJob } from '../../../workflows/kubernetes/controller.ts';
import {
  CONTROLLER_UID_LABEL,
  isClaimed,
  PLACEMENT_MANAGER,
  type Claim,
} from '../../../workflows/kubernetes/names.ts';
import { isOursToFree } from '../../../workflows/kubernetes/tracked.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { isUid } from '../../../workflows/kubernetes/uid.ts';
import type { LiveSet } from '../live-set/live-set.ts';

/**
 * The UIDs of the Jobs that a pod concerns: the Job that controls the pod, the Jobs in whose streams the pod was
 * recorded before, and the Jobs that could adopt the pod.
 */
export function findJobsOfPod(claim: Claim, live: LiveSet, pod: Pod): string[] {
  const { metadata } = pod;
  const jobs = new Set(ownerStreams(controllingJob(live, pod), live.pods.get(metadata.uid)?.jobs));
  const isControlled = findController(metadata) !== undefined;
  if (!isControlled) for (const uid of matchingJobs(claim, live, pod)) jobs.add(uid);
  if (jobs.size > 0 || !isOursToFree(claim, metadata)) return [...jobs];
  if (!isControlled) return [labelledJob(claim, live, pod)];
  // The controller of the pod is a Job that does not exist in its namespace, so no Job will release the pod.
  return namedJob(metadata) === undefined ? [] : [metadata.uid];
}

/**
 * The most streams of former owners in which an object is recorded. The number is limited because users can change the
 * owner of an object any number of times.
 */
const MAX_FORMER = 5;

/**
 * The streams in which an object is recorded: the stream of its present owner, and the streams of its former owners,
 * the latest first. The stream of a former owner thus shows that the object has left.
 */
export function ownerStreams(owner: string | undefined, former: readonly string[] = []): string[] {
  const left = former.filter((each) => each !== owner).slice(0, MAX_FORMER);
  return owner === undefined ? left : [owner, ...left];
}

/**
 * False if the pod is never recorded, whatever Jobs exist: another object than a Job controls the pod, and the pod was
 * not recorded before.
 */
export function mayConcernJobs(live: LiveSet, { metadata }: Pod): boolean {
  const isControlledByOther = findController(metadata) !== undefined && namedJob(metadata) === undefined;
  return !isControlledByOther || live.pods.has(metadata.uid);
}

/**
 * The UID of the Job that the label of a pod names. If that Job is known not to be ours or is in another namespace, the
 * UID of the pod, which then gets its own stream.
 */
function labelledJob(claim: Claim, live: LiveSet, { metadata }: Pod): string {
  const labelled = metadata.labels?.[CONTROLLER_UID_LABEL] ?? '';
  const known = live.jobs.get(labelled);
  const isElsewhere =
    known !== undefined && (known.namespace !== metadata.namespace || !isClaimed(claim, known.managedBy));
  return labelled === '' || isElsewhere ? metadata.uid : labelled;
}

/**
 * The most Jobs for which a pod without a controller is recorded. The number is limited because each version of the pod
 * is recorded in the streams of all these Jobs.
 */
const MAX_MATCHING = 50;

/** The Jobs whose selector matches the pod. Jobs that have not ended come first, because they can adopt the pod. */
function matchingJobs(claim: Claim, live: LiveSet, { metadata }: Pod): string[] {
  const { namespace, labels = {} } = metadata;
  const named = labels[CONTROLLER_UID_LABEL];
  const candidates = new Set([
    ...(named === undefined ? [] : [named]),
    ...(live.matching.get(namespace) ?? []),
  ]);
  const matching = [...candidates].filter((uid) => {
    const job = live.jobs.get(uid);
    const isCandidate = job?.namespace === namespace && isClaimed(claim, job.managedBy);
    return isCandidate && matchesSelector(job.selector, labels);
  });
  const hasEnded = (uid: string): boolean => live.jobs.get(uid)?.end !== undefined;
  const open = matching.filter((uid) => !hasEnded(uid));
  return [...open, ...matching.filter(hasEnded)].slice(0, MAX_MATCHING);
}

/**
 * The UID of the Job that controls a pod: the Job in the namespace of the pod that has both the name and the UID of the
 * controller reference (`resolveControllerRef` upstream). The result includes a Job that is not known yet, because the
 * core compares again when it knows the Job.
 */
export function controllingJob(live: LiveSet, { metadata }: Pod): string | undefined {
  const named = namedJob(metadata);
  if (named === undefined || !isUid(named.uid) || live.cronjobs.has(named.uid)) return undefined;
  const known = live.jobs.get(named.uid);
  // A placed Job has no pods of its own; its members control the pods.
  if (known?.managedBy === PLACEMENT_MANAGER) return undefined;
  return mayBeNamed(known, metadata.namespace, named.name) ? named.uid : undefined;
}

/** True when a known owner has this namespace and name, or when the owner is unknown. */
export function mayBeNamed(
  known: { namespace: string; name: string } | undefined,
  namespace: string,
  name: string,
): boolean {
  return known === undefined || (known.namespace === namespace && known.name === name);
}

/** The name of a live Job of the namespace; undefined for a Job of another namespace, whose name is never revealed. */
export function jobNameIn(live: LiveSet, namespace: string | undefined, jobUid: string): string | undefined {
  const known = live.jobs.get(jobUid);
  return known?.namespace === namespace ? known?.name : undefined;
}
