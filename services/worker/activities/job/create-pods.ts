import { eventsOfCreation } from '../../../adapters/kubernetes/events-on-job.ts';
import type { CommandOf, PodToCreate } from '../../../../workflows/job/commands.ts';
import type { CreationOutcome } from '../../../../workflows/job/outcomes.ts';
import { podFacts } from '../../../../workflows/job/observe/compact.ts';
import type { Job, Pod } from '../../../../workflows/kubernetes/objects.ts';
import { KubernetesApiError } from '../../../adapters/errors.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { emitOnJob } from './emit-on-job.ts';
import { newPod } from './new-pod.ts';
import { isOfJob } from './of-job.ts';
import { createPodByPod, type PodByPod } from './pod-by-pod.ts';
import { toApiFailure, mapInBatches, podsPath, readPod } from '../../command/requests.ts';
import type { CommandContext } from './command-context.ts';

/**
 * Creates pods in batches of 1, 2, 4, 8 …; after a batch with an error, or at the end of the time, the remaining pods
 * are skipped (J-5.18).
 */
export async function createPods(
  context: CommandContext,
  command: CommandOf<'CreatePods'>,
): Promise<OutcomeOf<'CreatePods'>> {
  const outcomes = createPodByPod<CreationOutcome>(context, 'name');
  // The comparison with the preconditions has usually just read the Job.
  const job = await context.recentJob();
  const outcomesWithSkipped = (): CreationOutcome[] =>
    command.pods.map((pod) => outcomes.of([pod])[0] ?? skippedOutcome(pod));
  if (job === null) return { kind: 'CreatePods', generation: 0, pods: outcomesWithSkipped(), jobGone: true };
  await createInBatches(context, job, command, outcomes);
  const pods = outcomesWithSkipped();
  await emitOnJob(context, pods.flatMap(eventsOfCreation));
  return { kind: 'CreatePods', generation: job.metadata.generation ?? 1, pods };
}

/**
 * The outcome of a stale command for which earlier attempts have created pods; null without such pods. The response to
 * a creation may have been lost, so each pod is looked up.
 */
export async function outcomeOfEarlierAttempts(
  context: CommandContext,
  live: Job,
  command: CommandOf<'CreatePods'>,
): Promise<OutcomeOf<'CreatePods'> | null> {
  const outcomes = createPodByPod<CreationOutcome>(context, 'name');
  const pods = await mapInBatches(command.pods, async (pod) => {
    const known = outcomes.of([pod])[0];
    if (known !== undefined) return known;
    const existing = await readPod(context, pod.name);
    return existing !== null && isOfJob(context, existing)
      ? outcomeOfExisting(context, pod, existing)
      : skippedOutcome(pod);
  });
  if (pods.every(({ result }) => result === 'skipped')) return null;
  await emitOnJob(context, pods.flatMap(eventsOfCreation));
  return { kind: 'CreatePods', generation: live.metadata.generation ?? 1, pods };
}

async function createInBatches(
  context: CommandContext,
  job: Job,
  command: CommandOf<'CreatePods'>,
  outcomes: PodByPod<CreationOutcome>,
): Promise<void> {
  const hasFailed = (pods: readonly PodToCreate[]): boolean =>
    outcomes.of(pods).some(({ result }) => result === 'failed');
  const { pods } = command;
  for (let at = 0, size = 1; at < pods.length && !hasFailed(pods); at += size, size *= 2) {
    const batch = pods.slice(at, at + size);
    await outcomes.each(batch, (pod) => createPod(context, job, pod, command));
    if (outcomes.of(batch).length < batch.length) return;
  }
}

function skippedOutcome({ ordinal, name }: PodToCreate): CreationOutcome {
  return { ordinal, name, result: 'skipped' };
}

async function createPod(
  context: CommandContext,
  job: Job,
  wanted: PodToCreate,
  command: CommandOf<'CreatePods'>,
): Promise<CreationOutcome> {
  const { ordinal, name } = wanted;
  if (job.metadata.deletionTimestamp !== undefined) {
    const error = { status: 409, reason: 'JobDeleting', message: 'the Job is being deleted' };
    return { ordinal, name, result: 'failed', error };
  }
  try {
    const body = newPod(job, wanted, command);
    const { metadata } = await context.client.request<Pod>({
      method: 'POST',
      path: podsPath(context.job),
      body,
      signal: context.signal,
    });
    return { ordinal, name, result: 'created', uid: metadata.uid, resourceVersion: metadata.resourceVersion };
  } catch (error) {
    const existing = mayExist(error) ? await readPod(context, name) : null;
    if (existing !== null) return outcomeOfExisting(context, wanted, existing);
    // The status 409 may also come from a webhook, or from a quota that other requests update at the same moment.
    return { ordinal, name, result: 'failed', error: toApiFailure(error) };
  }
}

/**
 * True when the pod may exist: the name is taken, or the server had an internal error, after which the pod may have
 * been created.
 */
function mayExist(error: unknown): boolean {
  return error instanceof KubernetesApiError && (error.status === 409 || error.status >= 500);
}

/**
 * The outcome when a pod has the name. An earlier attempt has created a pod of this Job, which counts even if the pod
 * has ended, because another pod in its place would do the work twice. Any other pod has taken the name.
 */
function outcomeOfExisting(
  context: CommandContext,
  { ordinal, name }: PodToCreate,
  pod: Pod,
): CreationOutcome {
  const facts = podFacts(pod);
  if (!isOfJob(context, pod)) return { ordinal, name, result: 'taken' };
  return {
    ordinal,
    name,
    result: 'created',
    uid: facts.uid,
    resourceVersion: facts.resourceVersion,
    pod: facts,
  };
}
