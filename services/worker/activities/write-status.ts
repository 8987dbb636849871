import { jobFacts } from '../../../workflows/job/observe/compact.ts';
import type { CommandOf } from '../../../workflows/job/commands.ts';
import { isOwnCondition } from '../../../workflows/job/definitions/conditions.ts';
import { canonicalJson } from '../../../workflows/job/record/digest.ts';
import type { Condition, Job, JobStatus } from '../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { apiFailureOf, isConflict, isNotFound, jobPath, type CommandContext } from './command-context.ts';

/** Others may keep writing the same Job; then the outcome is a conflict. */
const ATTEMPTS = 5;

/**
 * PUTs our fields of the status on the newest version of the Job, with all other fields unchanged (J-1.25). If somebody
 * changed other fields, it is repeated on the new version. If our fields differ from the known ones, that is a
 * conflict, unless they already have the wanted values: then an earlier attempt succeeded.
 */
export async function writeStatus(
  context: CommandContext,
  command: CommandOf<'WriteStatus'>,
): Promise<OutcomeOf<'WriteStatus'>> {
  let live = await context.recentJob();
  for (let attempt = 0; attempt < ATTEMPTS && live !== null; attempt += 1) {
    if (isSame(live.status, command.to)) return written(live);
    if (!isSame(live.status, command.from)) break;
    try {
      return written(await put(context, live, command.to));
    } catch (error) {
      if (isNotFound(error)) return { kind: 'WriteStatus', result: 'gone' };
      if (!isConflict(error)) return { kind: 'WriteStatus', result: 'failed', error: apiFailureOf(error) };
    }
    live = await context.readJob();
  }
  return live === null
    ? { kind: 'WriteStatus', result: 'gone' }
    : { kind: 'WriteStatus', result: 'conflict', job: jobFacts(live) };
}

async function put(context: CommandContext, live: Job, to: JobStatus): Promise<Job> {
  const conditions = mergedConditions(live.status?.conditions ?? [], to.conditions ?? []);
  const status = { ...to, ...(conditions.length > 0 && { conditions }) };
  const body = { ...live, apiVersion: 'batch/v1', kind: 'Job', status };
  const job = await context.client.request<Job>({
    method: 'PUT',
    path: `${jobPath(context.job)}/status`,
    body,
    signal: context.signal,
  });
  context.rememberJob(job);
  return job;
}

function written(job: Job): OutcomeOf<'WriteStatus'> {
  return { kind: 'WriteStatus', result: 'written', job: jobFacts(job) };
}

/** Foreign conditions as on the server and ours as wanted, in the order in which they were added (J-6.34). */
export function mergedConditions(live: readonly Condition[], wished: readonly Condition[]): Condition[] {
  const ours = new Map(wished.filter(isOwnCondition).map((condition) => [condition.type, condition]));
  const kept = live.flatMap((condition) => {
    if (!isOwnCondition(condition)) return [condition];
    const wish = ours.get(condition.type);
    ours.delete(condition.type);
    return wish === undefined ? [] : [wish];
  });
  return [...kept, ...ours.values()];
}

function isSame(a: JobStatus | undefined, b: JobStatus): boolean {
  return canonicalJson(ownPart(a ?? {})) === canonicalJson(ownPart(b));
}

/** Our fields of a status; empty lists of the built-in controller count as absent. */
function ownPart({ conditions = [], uncountedTerminatedPods, ...rest }: JobStatus): unknown {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return { ...rest, conditions: conditions.filter(isOwnCondition), uncounted: { succeeded, failed } };
}
