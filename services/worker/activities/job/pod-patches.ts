import { matchesSelector } from '../../../../workflows/job/definitions/selector.ts';
import type { ApiFailure } from '../../../../workflows/decision/api-failure.ts';
import type { PodOutcome } from '../../../../workflows/job/outcomes.ts';
import type { CommandOf, PodRef } from '../../../../workflows/job/commands.ts';
import { findController, namedJob } from '../../../../workflows/kubernetes/controller.ts';
import type { Pod } from '../../../../workflows/kubernetes/objects.ts';
import { OWN_FINALIZER, RESERVED_FINALIZER } from '../../../../workflows/kubernetes/names.ts';
import { isTracked } from '../../../../workflows/kubernetes/tracked.ts';
import { KubernetesApiError } from '../../../adapters/errors.ts';
import type { ApiRequest } from '../../../adapters/kubernetes/client.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { controllerReference } from './new-pod.ts';
import type { ClaimedJobs } from './claimed-jobs.ts';
import { isOfJob } from './of-job.ts';
import { createPodByPod } from './pod-by-pod.ts';
import { staleFailure } from '../../command/command-table.ts';
import {
  toApiFailure,
  mapInBatches,
  isConflict,
  isNotFound,
  podPath,
  readJobNamed,
  readPod,
} from '../../command/requests.ts';
import type { CommandContext } from './command-context.ts';

/** The dependencies for the change of one pod, also for `jobledger admin detach`, which has no worker. */
export type PodContext = Pick<CommandContext, 'client' | 'job' | 'signal'> & {
  claimed: Pick<ClaimedJobs, 'finalizer'>;
};

/** A pod is tracked by either finalizer, so both finalizers are removed (J-4.34). */
const WITHOUT_FINALIZERS = { '$deleteFromPrimitiveList/finalizers': [OWN_FINALIZER, RESERVED_FINALIZER] };

/**
 * Removes the tracking finalizer (J-4.11). Pods that are not released before the end of the time are left out of the
 * outcome.
 */
export async function releasePods(
  context: CommandContext,
  { pods, unlessAdopted }: CommandOf<'ReleasePods'>,
): Promise<OutcomeOf<'ReleasePods'>> {
  const release = unlessAdopted === true ? releaseAfterRead : releasePod;
  const outcomes = createPodByPod<PodOutcome>(context, 'uid');
  await outcomes.each(pods, (pod) => release(context, pod));
  return { kind: 'ReleasePods', pods: outcomes.of(pods) };
}

/**
 * Removes the tracking finalizer of a pod without a read, because most pods are unchanged since their creation. The API
 * server refuses the patch with 422 when the pod is another pod, has another controller, or has other fields in these
 * places. `live` is the pod in the response.
 */
export async function releaseWithoutRead(
  context: PodContext,
  pod: PodRef,
): Promise<{ outcome: PodOutcome; live?: Pod }> {
  try {
    const { job, claimed } = context;
    const patched = await sendPatch(context, pod, {
      contentType: 'application/json-patch+json',
      body: [
        { op: 'test', path: '/metadata/uid', value: pod.uid },
        { op: 'test', path: '/metadata/ownerReferences/0/uid', value: job.uid },
        { op: 'test', path: '/metadata/ownerReferences/0/kind', value: 'Job' },
        { op: 'test', path: '/metadata/ownerReferences/0/name', value: job.name },
        { op: 'test', path: '/metadata/ownerReferences/0/controller', value: true },
        { op: 'test', path: '/metadata/finalizers/0', value: claimed.finalizer },
        { op: 'remove', path: '/metadata/finalizers/0' },
      ],
    });
    return isReleased(patched)
      ? { outcome: doneOutcome(pod, patched), live: patched }
      : { outcome: await releaseAfterRead(context, pod) };
  } catch (error) {
    if (error instanceof KubernetesApiError && error.status === 422)
      return { outcome: await releaseAfterRead(context, pod) };
    return {
      outcome: await outcomeOfRefused(context, pod, error, isReleased),
    };
  }
}

async function releasePod(context: PodContext, pod: PodRef): Promise<PodOutcome> {
  return (await releaseWithoutRead(context, pod)).outcome;
}

/**
 * Removes the tracking finalizer after a read of the pod. If a Job adopts the pod at the same moment, the finalizer
 * stays, because the Job needs the finalizer to count the pod.
 */
export function releaseAfterRead(context: PodContext, pod: PodRef): Promise<PodOutcome> {
  return readAndPatch(context, pod, async (live) => {
    if (await isControlledByAnother(context, live)) return 'gone';
    return isReleased(live) ? 'done' : WITHOUT_FINALIZERS;
  });
}

/**
 * True when another controller will free the pod. A controller that does not exist under its name in the namespace of
 * the pod will never free the pod (J-3.46).
 */
async function isControlledByAnother(context: PodContext, { metadata }: Pod): Promise<boolean> {
  const owner = findController(metadata);
  if (owner === undefined) return false;
  if (namedJob(metadata) === undefined) return true;
  if (owner.uid === context.job.uid) return owner.name !== context.job.name;
  const job = await readJobNamed(context, owner.name);
  return job?.metadata.uid === owner.uid;
}

function isReleased({ metadata }: Pod): boolean {
  return !isTracked(metadata);
}

/**
 * Adds our owner reference and finalizer (J-3.32). The first patch wins, because the API refuses a second controller.
 */
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
  return {
    kind: 'AdoptPods',
    pods: await mapInBatches(pods, (pod) =>
      readAndPatch(context, pod, (live) => {
        // Another controller was first, so the pod is not an orphan.
        if (findController(live.metadata) !== undefined && !isOfJob(context, live)) return 'gone';
        return matchesSelector(job.spec.selector ?? {}, live.metadata.labels ?? {})
          ? metadata
          : staleFailure('the pod does not match the selector');
      }),
    ),
  };
}

/** Removes the owner reference and the finalizer of pods that do not match the selector (J-3.33). */
export async function disownPods(
  context: CommandContext,
  { pods }: CommandOf<'DisownPods'>,
): Promise<OutcomeOf<'DisownPods'>> {
  const metadata = { ownerReferences: [{ $patch: 'delete', uid: context.job.uid }], ...WITHOUT_FINALIZERS };
  return {
    kind: 'DisownPods',
    pods: await mapInBatches(pods, (pod) =>
      readAndPatch(context, pod, (live) => (isOfJob(context, live) ? metadata : 'gone')),
    ),
  };
}

/** The change that a pod needs, or the outcome when the pod needs no change. */
type Change = Record<string, unknown> | 'done' | 'gone';

/** The most attempts, because other clients may keep changing the same pod. */
const ATTEMPTS = 5;

/**
 * Reads the pod, and sends the strategic merge patch that the pod needs; the patch applies only to the version that was
 * read.
 */
async function readAndPatch(
  context: PodContext,
  pod: PodRef,
  computeChange: (live: Pod) => Change | ApiFailure | Promise<Change | ApiFailure>,
): Promise<PodOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const live = await readPod(context, pod.name);
    if (live?.metadata.uid !== pod.uid) return { ...pod, result: 'gone' };
    const change = await computeChange(live);
    if (change === 'gone') return { ...pod, result: 'gone' };
    if (change === 'done') return { ...pod, result: 'done', resourceVersion: live.metadata.resourceVersion };
    if (isFailure(change)) return { ...pod, result: 'failed', error: change };
    const { resourceVersion } = live.metadata;
    try {
      const patched = await sendPatch(context, pod, {
        contentType: 'application/strategic-merge-patch+json',
        body: { metadata: { uid: pod.uid, resourceVersion, ...change } },
      });
      return doneOutcome(pod, patched);
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) return outcomeOfRefused(context, pod, error);
    }
  }
}

function isFailure(change: Record<string, unknown> | ApiFailure): change is ApiFailure {
  return 'reason' in change;
}

function sendPatch(
  { client, job, signal }: PodContext,
  { name }: PodRef,
  patch: Required<Pick<ApiRequest, 'body' | 'contentType'>>,
): Promise<Pod> {
  return client.request<Pod>({ method: 'PATCH', path: podPath(job, name), ...patch, signal });
}

function doneOutcome({ uid, name }: PodRef, patched: Pod): PodOutcome {
  const { resourceVersion } = patched.metadata;
  return { uid, name, result: 'done', ...(!isRemoved(patched) && { resourceVersion }) };
}

/**
 * The outcome of a refused change of a pod. The statuses 409 and 422 may mean that another pod has the name, but a
 * policy or a webhook that refuses the change may respond with the same status. The pod is therefore read: only its
 * absence proves that the pod is gone.
 */
export async function outcomeOfRefused(
  context: PodContext,
  { uid, name }: PodRef,
  error: unknown,
  isDone: (live: Pod) => boolean = () => false,
): Promise<PodOutcome> {
  if (isNotFound(error)) return { uid, name, result: 'gone' };
  const failure = toApiFailure(error);
  const refused: PodOutcome = { uid, name, result: 'failed', error: failure };
  if (failure.status !== 409 && failure.status !== 422) return refused;
  const live = await readPod(context, name);
  if (live?.metadata.uid !== uid) return { uid, name, result: 'gone' };
  if (!isDone(live)) return refused;
  return { uid, name, result: 'done', resourceVersion: live.metadata.resourceVersion };
}

/**
 * True when the patch removed the last finalizer of a deleted pod. The response then has the version before the
 * deletion, at which the pod still existed.
 */
function isRemoved({
  metadata: { finalizers = [], deletionTimestamp, deletionGracePeriodSeconds },
}: Pod): boolean {
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}
