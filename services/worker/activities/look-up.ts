import { jobFacts, podFacts } from '../../../workflows/job/observe/compact.ts';
import type { CommandOf } from '../../../workflows/job/commands.ts';
import { controllerOf } from '../../../workflows/kubernetes/controller.ts';
import type { LabelSelector, Pod } from '../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { list } from '../../adapters/kubernetes/watch.ts';
import { apiFailureOf, forEachOf, podPath, readPod, type CommandContext } from './command-context.ts';

/** Reads the Job; null when it is gone, or another one has its name. */
export async function lookUpJob(context: CommandContext): Promise<OutcomeOf<'LookUpJob'>> {
  const job = await context.readJob();
  return { kind: 'LookUpJob', job: job === null ? null : jobFacts(job) };
}

/** Reads pods, each null when it is gone or another one has its name. */
export async function lookUpPods(
  context: CommandContext,
  { pods }: CommandOf<'LookUpPods'>,
): Promise<OutcomeOf<'LookUpPods'>> {
  const found = await forEachOf(pods, async ({ uid, name }) => {
    const pod = await readPod(context, name);
    return { uid, name, pod: pod?.metadata.uid === uid ? podFacts(pod) : null };
  });
  return { kind: 'LookUpPods', pods: found };
}

/** Maximum number of orphans in one outcome; the rest is found again when these are adopted. */
const ORPHANS_AT_ONCE = 500;

/** Lists the pods that match and that could be adopted (J-3.32). */
export async function lookUpOrphans(
  { client, job, signal }: CommandContext,
  { selector }: CommandOf<'LookUpOrphans'>,
): Promise<OutcomeOf<'LookUpOrphans'>> {
  const query = `labelSelector=${encodeURIComponent(selectorText(selector))}`;
  try {
    const { items } = await list<Pod>(client, podPath(job), query, signal);
    const orphans = items.filter(isOrphan);
    return {
      kind: 'LookUpOrphans',
      result: 'done',
      orphans: orphans.slice(0, ORPHANS_AT_ONCE).map(podFacts),
      more: orphans.length > ORPHANS_AT_ONCE,
    };
  } catch (error) {
    return { kind: 'LookUpOrphans', result: 'failed', error: apiFailureOf(error) };
  }
}

function isOrphan({ metadata }: Pod): boolean {
  return controllerOf(metadata) === undefined && metadata.deletionTimestamp === undefined;
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
