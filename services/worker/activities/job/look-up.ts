import { matchesSelector } from '../../../../workflows/job/definitions/selector.ts';
import { jobFacts, podFacts } from '../../../../workflows/job/observe/compact.ts';
import type { CommandOf } from '../../../../workflows/job/commands.ts';
import { findController } from '../../../../workflows/kubernetes/controller.ts';
import type { LabelSelector, Pod } from '../../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { listPages } from '../../../adapters/kubernetes/watch.ts';
import { toApiFailure, mapInBatches, podsPath, readPod } from '../../command/requests.ts';
import type { CommandContext } from './command-context.ts';
import { isOfJob } from './of-job.ts';

/** Reads the Job; null when it is gone, or another Job has its name. */
export async function lookUpJob(context: CommandContext): Promise<OutcomeOf<'LookUpJob'>> {
  const job = await context.readJob();
  return { kind: 'LookUpJob', job: job === null ? null : jobFacts(job) };
}

/** Reads pods, each null when it is gone or another pod has its name. */
export async function lookUpPods(
  context: CommandContext,
  { pods }: CommandOf<'LookUpPods'>,
): Promise<OutcomeOf<'LookUpPods'>> {
  const found = await mapInBatches(pods, async ({ uid, name }) => {
    const pod = await readPod(context, name);
    return { uid, name, pod: pod?.metadata.uid === uid ? podFacts(pod) : null };
  });
  return { kind: 'LookUpPods', pods: found };
}

/**
 * The most pods in one outcome. Further orphans are found after these orphans are adopted, and further pods of the Job
 * by their names.
 */
const PODS_AT_ONCE = 500;

/**
 * The longest query of a list, in characters. Proxies reject longer request lines (nginx rejects 8 KiB) and the API
 * server rejects 1 MiB, but a selector may be as large as a Job.
 */
const MAX_QUERY = 4096;

/** Lists the matching pods that could be adopted (J-3.32), and the pods of the Job itself on request. */
export async function lookUpOrphans(
  context: CommandContext,
  { selector, own }: CommandOf<'LookUpOrphans'>,
): Promise<OutcomeOf<'LookUpOrphans'>> {
  const found: Pod[] = [];
  try {
    // The API server lists pods in the order of their names.
    for await (const pod of listMatchingPods(context, selector)) {
      if (own !== undefined && pod.metadata.name <= own.after) continue;
      if (isOrphan(pod) || (own !== undefined && isOfJob(context, pod))) found.push(pod);
      if (found.length > PODS_AT_ONCE) break;
    }
  } catch (error) {
    return { kind: 'LookUpOrphans', result: 'failed', error: toApiFailure(error) };
  }
  return {
    kind: 'LookUpOrphans',
    result: 'done',
    orphans: found.slice(0, PODS_AT_ONCE).map(podFacts),
    more: found.length > PODS_AT_ONCE,
  };
}

/**
 * The pods that match a selector. The API server selects the pods; if the selector is too long for a query, all pods of
 * the namespace are read.
 */
async function* listMatchingPods(
  { client, job, signal }: CommandContext,
  selector: LabelSelector,
): AsyncGenerator<Pod> {
  const query = `labelSelector=${encodeURIComponent(selectorText(selector))}`;
  const isTooLong = query.length > MAX_QUERY;
  for await (const { items } of listPages<Pod>(client, podsPath(job), isTooLong ? '' : query, signal))
    for (const pod of items)
      if (!isTooLong || matchesSelector(selector, pod.metadata.labels ?? {})) yield pod;
}

function isOrphan({ metadata }: Pod): boolean {
  return findController(metadata) === undefined && metadata.deletionTimestamp === undefined;
}

const OPERATORS: Record<string, (key: string, values: string) => string> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** A selector in the syntax of an API query. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(
      ({ key, operator, values = [] }) => OPERATORS[operator]?.(key, values.join(',')) ?? key,
    ),
  ].join(',');
}
