import type { PodOutcome } from '../../../workflows/job/outcomes.ts';
import type { CommandOf, PodRef } from '../../../workflows/job/commands.ts';
import { controllerOf, namedJob } from '../../../workflows/kubernetes/controller.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { OWN_FINALIZER, RESERVED_FINALIZER } from '../../../workflows/kubernetes/names.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { controllerReference } from './new-pod.ts';
import { podByPod } from './pod-by-pod.ts';
import {
  apiFailureOf,
  forEachOf,
  isNotFound,
  podPath,
  readJobOf,
  readPod,
  type CommandContext,
} from './command-context.ts';

/** A pod is tracked by either finalizer, so both are removed (J-4.34). */
const WITHOUT_FINALIZERS = { '$deleteFromPrimitiveList/finalizers': [OWN_FINALIZER, RESERVED_FINALIZER] };

/** Removes the tracking finalizer (J-4.11). When time is up, the rest is left out of the outcome. */
export async function releasePods(
  context: CommandContext,
  { pods, unlessAdopted }: CommandOf<'ReleasePods'>,
): Promise<OutcomeOf<'ReleasePods'>> {
  const release = unlessAdopted === true ? releaseOrphan : releasePod;
  const outcomes = podByPod<PodOutcome>(context, 'uid');
  await outcomes.each(pods, (pod) => release(context, pod));
  return { kind: 'ReleasePods', pods: outcomes.of(pods) };
}

/** Others may keep changing the same pod. */
const ATTEMPTS = 5;

/** A Job that adopts the pod at the same moment needs the finalizer to count it: then it stays. */
async function releaseOrphan(context: CommandContext, pod: PodRef): Promise<PodOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const live = await readPod(context, pod.name);
    if (live?.metadata.uid !== pod.uid) return { ...pod, result: 'gone' };
    if (await isControlledByAnother(context, live)) return { ...pod, result: 'gone' };
    const { resourceVersion } = live.metadata;
    const released = await patchPod(context, pod, { resourceVersion, ...WITHOUT_FINALIZERS }, isReleased);
    const hasChanged = released.result === 'failed' && released.error.reason === 'Conflict';
    if (!hasChanged || attempt === ATTEMPTS) return released;
  }
}

/** A controller that does not exist under its name in the pod's namespace will never free the pod (J-3.46). */
async function isControlledByAnother(context: CommandContext, { metadata }: Pod): Promise<boolean> {
  const owner = controllerOf(metadata);
  if (owner === undefined || owner.uid === context.job.uid) return false;
  if (namedJob(metadata) === undefined) return true;
  const job = await readJobOf(context, owner.name);
  return job?.metadata.uid === owner.uid;
}

export function releasePod(context: CommandContext, pod: PodRef): Promise<PodOutcome> {
  return patchPod(context, pod, WITHOUT_FINALIZERS, isReleased);
}

/** An earlier attempt may have done it, whose repetition is refused. */
function isReleased({ metadata: { finalizers = [] } }: Pod): 'done' | null {
  return finalizers.includes(OWN_FINALIZER) || finalizers.includes(RESERVED_FINALIZER) ? null : 'done';
}

/** Adds our owner reference and finalizer (J-3.32). The first patch wins; the API refuses a second controller. */
export async function adoptPods(
  context: CommandContext,
  { pods, finalizer }: CommandOf<'AdoptPods'>,
): Promise<OutcomeOf<'AdoptPods'>> {
  const job = await context.readJob();
  if (job === null || job.metadata.deletionTimestamp !== undefined) {
    const error = { status: 409, reason: 'JobDeleting', message: 'the Job is gone or being deleted' };
    return { kind: 'AdoptPods', pods: pods.map((pod) => ({ ...pod, result: 'failed', error })) };
  }
  const metadata = { ownerReferences: [controllerReference(job)], finalizers: [finalizer] };
  // Another controller was first: the pod is no orphan any more.
  const isTaken = (live: Pod): 'gone' | null => {
    const controller = controllerOf(live.metadata)?.uid;
    return controller === undefined || controller === context.job.uid ? null : 'gone';
  };
  return {
    kind: 'AdoptPods',
    pods: await forEachOf(pods, (pod) => patchPod(context, pod, metadata, isTaken)),
  };
}

/** Removes owner reference and finalizer of a pod that no longer matches (J-3.33). */
export async function disownPods(
  context: CommandContext,
  { pods }: CommandOf<'DisownPods'>,
): Promise<OutcomeOf<'DisownPods'>> {
  const metadata = { ownerReferences: [{ $patch: 'delete', uid: context.job.uid }], ...WITHOUT_FINALIZERS };
  // Invalid counts as gone, but only when the pod is not ours any more: a policy that refuses the change answers so too.
  const isDisowned = (live: Pod): 'gone' | null =>
    live.metadata.ownerReferences?.some(({ uid }) => uid === context.job.uid) === true ? null : 'gone';
  return {
    kind: 'DisownPods',
    pods: await forEachOf(pods, (pod) => patchPod(context, pod, metadata, isDisowned)),
  };
}

/** What a refused change of a pod comes to, from the pod as it is; null when it is a refusal. */
type SettledBy = (live: Pod) => 'done' | 'gone' | null;

/** A strategic merge patch with the pod's uid as precondition. */
async function patchPod(
  context: CommandContext,
  { uid, name }: PodRef,
  metadata: Record<string, unknown>,
  settledBy: SettledBy,
): Promise<PodOutcome> {
  try {
    const patched = await context.client.request<Pod>({
      method: 'PATCH',
      path: podPath(context.job, name),
      body: { metadata: { uid, ...metadata } },
      contentType: 'application/strategic-merge-patch+json',
      signal: context.signal,
    });
    const { resourceVersion } = patched.metadata;
    return { uid, name, result: 'done', ...(!isRemoved(patched) && { resourceVersion }) };
  } catch (error) {
    return outcomeOfRefused(context, { uid, name }, error, settledBy);
  }
}

/**
 * The outcome of a refused change of a pod. 409 and 422 may mean that another pod has the name by now, but a policy or webhook
 * that refuses the change answers so too. So the pod is read: only one that is not there any more is gone.
 */
export async function outcomeOfRefused(
  context: CommandContext,
  { uid, name }: PodRef,
  error: unknown,
  settledBy: SettledBy = () => null,
): Promise<PodOutcome> {
  if (isNotFound(error)) return { uid, name, result: 'gone' };
  const failure = apiFailureOf(error);
  const refused: PodOutcome = { uid, name, result: 'failed', error: failure };
  if (failure.status !== 409 && failure.status !== 422) return refused;
  const live = await readPod(context, name);
  if (live?.metadata.uid !== uid) return { uid, name, result: 'gone' };
  switch (settledBy(live)) {
    case 'done':
      return { uid, name, result: 'done', resourceVersion: live.metadata.resourceVersion };
    case 'gone':
      return { uid, name, result: 'gone' };
    case null:
      return refused;
  }
}

/** The patch removed the last finalizer of a deleted pod: the answer has the version before, at which the pod still existed. */
function isRemoved({
  metadata: { finalizers = [], deletionTimestamp, deletionGracePeriodSeconds },
}: Pod): boolean {
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}
