import type { CommandOf, PodToCreate } from '../../../workflows/job/commands.ts';
import type { CreationOutcome } from '../../../workflows/job/outcomes.ts';
import { podFacts } from '../../../workflows/job/observe/compact.ts';
import type { Job, Pod } from '../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { emitOnJob, type EventOnJob } from './events-on-job.ts';
import { newPod } from './new-pod.ts';
import {
  apiFailureOf,
  forEachOf,
  isConflict,
  podPath,
  readPod,
  type CommandContext,
} from './command-context.ts';

/** Creates pods in batches of 1, 2, 4, 8 …; after a batch with an error the rest is skipped (J-5.18). */
export async function createPods(
  context: CommandContext,
  command: CommandOf<'CreatePods'>,
): Promise<OutcomeOf<'CreatePods'>> {
  const job = await context.readJob();
  if (job === null)
    return { kind: 'CreatePods', generation: 0, pods: command.pods.map(skipped), jobGone: true };
  const answers: CreationOutcome[] = [];
  for (let size = 1, failed = false; answers.length < command.pods.length; size *= 2) {
    const batch = command.pods.slice(answers.length, answers.length + size);
    const created: CreationOutcome[] = failed
      ? batch.map(skipped)
      : await forEachOf(batch, (pod) => createPod(context, job, pod, command));
    failed ||= created.some((answer) => answer.result === 'failed');
    answers.push(...created);
  }
  await emitOnJob(context, answers.flatMap(eventOf));
  return { kind: 'CreatePods', generation: job.metadata.generation ?? 1, pods: answers };
}

function skipped({ ordinal, name }: PodToCreate): CreationOutcome {
  return { ordinal, name, result: 'skipped' };
}

async function createPod(
  context: CommandContext,
  job: Job,
  wish: PodToCreate,
  command: CommandOf<'CreatePods'>,
): Promise<CreationOutcome> {
  const { ordinal, name } = wish;
  if (job.metadata.deletionTimestamp !== undefined) {
    const error = { status: 409, reason: 'JobDeleting', message: 'the Job is being deleted' };
    return { ordinal, name, result: 'failed', error };
  }
  try {
    const body = newPod(job, wish, command);
    const { metadata } = await context.client.request<Pod>({
      method: 'POST',
      path: podPath(context.job),
      body,
      signal: context.signal,
    });
    return { ordinal, name, result: 'created', uid: metadata.uid, resourceVersion: metadata.resourceVersion };
  } catch (error) {
    if (isConflict(error)) return existing(context, wish);
    return { ordinal, name, result: 'failed', error: apiFailureOf(error) };
  }
}

/**
 * The name exists. A pod of this Job that is live or not counted yet was created by an earlier attempt; any other pod
 * has taken the name.
 */
async function existing(context: CommandContext, { ordinal, name }: PodToCreate): Promise<CreationOutcome> {
  const pod = await readPod(context, name);
  const facts = pod === null ? null : podFacts(pod);
  const isWanted = facts?.controller === context.job.uid && facts.tracked === true && facts.deleting !== true;
  if (facts === null || !isWanted) return { ordinal, name, result: 'taken' };
  return {
    ordinal,
    name,
    result: 'created',
    uid: facts.uid,
    resourceVersion: facts.resourceVersion,
    pod: facts,
  };
}

/** J-7.2; none while the namespace is being terminated (J-5.19). */
function eventOf(answer: CreationOutcome): EventOnJob[] {
  if (answer.result === 'created')
    return [{ type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${answer.name}` }];
  if (answer.result !== 'failed' || isTerminating(answer.error)) return [];
  return [{ type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${answer.error.message}` }];
}

function isTerminating({
  status,
  message,
  reason,
}: {
  status: number;
  message: string;
  reason: string;
}): boolean {
  return reason === 'JobDeleting' || (status === 403 && message.includes('because it is being terminated'));
}
