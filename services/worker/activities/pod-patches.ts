import type { PodOutcome } from '../../../workflows/job/outcomes.ts';
import type { CommandOf, PodRef } from '../../../workflows/job/commands.ts';
import { controllerOf } from '../../../workflows/kubernetes/controller.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { OWN_FINALIZER, RESERVED_FINALIZER } from '../../../workflows/kubernetes/names.ts';
import { KubernetesApiError } from '../../adapters/errors.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { controllerReference } from './new-pod.ts';
import {
  apiFailureOf,
  forEachOf,
  isConflict,
  isNotFound,
  podPath,
  readPod,
  type CommandContext,
} from './command-context.ts';

/** A pod is tracked by either finalizer, so both are removed (J-4.34). */
const WITHOUT_FINALIZERS = { '$deleteFromPrimitiveList/finalizers': [OWN_FINALIZER, RESERVED_FINALIZER] };

/** Removes the tracking finalizer (J-4.11). */
export async function releasePods(
  context: CommandContext,
  { pods, unlessAdopted }: CommandOf<'ReleasePods'>,
): Promise<OutcomeOf<'ReleasePods'>> {
  const release = unlessAdopted === true ? releaseOrphan : releasePod;
  return { kind: 'ReleasePods', pods: await forEachOf(pods, (pod) => release(context, pod)) };
}

/** Others may keep changing the same pod. */
const ATTEMPTS = 5;

/** A Job that adopts the pod at the same moment needs the finalizer to count it: then it stays. */
async function releaseOrphan(context: CommandContext, pod: PodRef): Promise<PodOutcome> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const live = await readPod(context, pod.name);
    if (live?.metadata.uid !== pod.uid) return { ...pod, result: 'gone' };
    const controller = controllerOf(live.metadata)?.uid ?? context.job.uid;
    if (controller !== context.job.uid) return { ...pod, result: 'gone' };
    const { resourceVersion } = live.metadata;
    const released = await patchPod(context, pod, { resourceVersion, ...WITHOUT_FINALIZERS });
    if (released.result !== 'gone') return released;
  }
  const error = { status: 409, reason: 'Conflict', message: 'the pod changed again and again' };
  return { ...pod, result: 'failed', error };
}

export function releasePod(context: CommandContext, pod: PodRef): Promise<PodOutcome> {
  return patchPod(context, pod, WITHOUT_FINALIZERS);
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
  return { kind: 'AdoptPods', pods: await forEachOf(pods, (pod) => patchPod(context, pod, metadata)) };
}

/** Removes owner reference and finalizer of a pod that no longer matches; Invalid counts as gone (J-3.33). */
export async function disownPods(
  context: CommandContext,
  { pods }: CommandOf<'DisownPods'>,
): Promise<OutcomeOf<'DisownPods'>> {
  const metadata = { ownerReferences: [{ $patch: 'delete', uid: context.job.uid }], ...WITHOUT_FINALIZERS };
  return { kind: 'DisownPods', pods: await forEachOf(pods, (pod) => patchPod(context, pod, metadata)) };
}

/** A strategic merge patch with the pod's uid as precondition. */
async function patchPod(
  context: CommandContext,
  { uid, name }: PodRef,
  metadata: Record<string, unknown>,
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
    // The precondition fails: another pod has the name.
    if (isNotFound(error) || isConflict(error) || isInvalid(error)) return { uid, name, result: 'gone' };
    return { uid, name, result: 'failed', error: apiFailureOf(error) };
  }
}

/** The patch removed the last finalizer of a deleted pod: the answer has the version before, at which the pod still existed. */
function isRemoved({
  metadata: { finalizers = [], deletionTimestamp, deletionGracePeriodSeconds },
}: Pod): boolean {
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function isInvalid(error: unknown): boolean {
  return error instanceof KubernetesApiError && error.status === 422;
}
