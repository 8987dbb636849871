import { jobFacts } from '../../../../workflows/job/observe/compact.ts';
import type { CommandOf } from '../../../../workflows/job/commands.ts';
import { isOwnCondition, trueCondition } from '../../../../workflows/job/definitions/conditions.ts';
import { canonicalJson } from '../../../../workflows/job/definitions/digest.ts';
import type { Condition, Job, JobStatus } from '../../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { apiFailureOf, isConflict, isForbidden, isNotFound, jobPath } from '../requests.ts';
import type { CommandContext } from './command-context.ts';

/** Others may keep writing the same Job; after this many attempts the outcome is a failure. */
const ATTEMPTS = 5;

/**
 * Writes our fields of the status, with all other fields unchanged (J-1.25). Usually the Job is still at the version
 * that the decision knew, and needs no read.
 */
export async function writeStatus(
  context: CommandContext,
  command: CommandOf<'WriteStatus'>,
): Promise<OutcomeOf<'WriteStatus'>> {
  try {
    return written(await patchKnown(context, command));
  } catch (error) {
    if (isNotFound(error)) return { kind: 'WriteStatus', result: 'gone' };
    // The account may still have the rights of a version that did not patch.
    if (!isConflict(error) && !isForbidden(error))
      return { kind: 'WriteStatus', result: 'failed', error: apiFailureOf(error) };
    return writeNewest(context, command);
  }
}

/** A merge patch of what changes, which the API server refuses with a conflict unless the Job is at the known version. */
async function patchKnown(
  context: CommandContext,
  { resourceVersion, from, to }: CommandOf<'WriteStatus'>,
): Promise<Job> {
  const job = await context.client.request<Job>({
    method: 'PATCH',
    path: `${jobPath(context.job)}/status`,
    contentType: 'application/merge-patch+json',
    body: {
      metadata: { uid: context.job.uid, resourceVersion },
      status: mergePatch(from, withConditions(from, to)),
    },
    signal: context.signal,
  });
  context.rememberJob(job);
  return job;
}

/** The JSON merge patch (RFC 7386) that makes `to` of `from`: null removes a field. */
function mergePatch(from: object, to: object): Record<string, unknown> {
  const before = new Map<string, unknown>(Object.entries(from));
  const after = new Map<string, unknown>(Object.entries(to));
  const patch = [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was = null, is = null] = [before.get(name), after.get(name)];
    if (canonicalJson(was) === canonicalJson(is)) return [];
    return [[name, isObject(was) && isObject(is) ? mergePatch(was, is) : is]];
  });
  return Object.fromEntries(patch) as Record<string, unknown>;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * PUTs our fields on the newest version of the Job. If somebody changed other fields, it is repeated on the new
 * version. If our fields differ from the known ones, the outcome is a conflict, unless they already have the wanted
 * values: then an earlier attempt succeeded. A resumed Job is a conflict too: the API server would refuse the status of
 * a suspended Job (J-1.40).
 */
async function writeNewest(
  context: CommandContext,
  command: CommandOf<'WriteStatus'>,
): Promise<OutcomeOf<'WriteStatus'>> {
  let live = await context.readJob();
  for (let attempt = 1; live !== null; attempt += 1) {
    if (isSame(live.status, command.to)) return written(live);
    if (!isSame(live.status, command.from) || isResumedMeanwhile(live, command.to)) break;
    try {
      return written(await put(context, live, command.to));
    } catch (error) {
      if (isNotFound(error)) return { kind: 'WriteStatus', result: 'gone' };
      // Refused with a conflict although nobody changed our fields: an immediate decision would repeat it.
      if (!isConflict(error) || attempt === ATTEMPTS)
        return { kind: 'WriteStatus', result: 'failed', error: apiFailureOf(error) };
    }
    live = await context.readJob();
  }
  return live === null
    ? { kind: 'WriteStatus', result: 'gone' }
    : { kind: 'WriteStatus', result: 'conflict', job: jobFacts(live) };
}

function isResumedMeanwhile({ spec }: Job, to: JobStatus): boolean {
  return spec.suspend !== true && trueCondition(to, 'Suspended') !== undefined;
}

async function put(context: CommandContext, live: Job, to: JobStatus): Promise<Job> {
  const body = {
    ...live,
    apiVersion: 'batch/v1',
    kind: 'Job',
    status: withConditions(live.status ?? {}, to),
  };
  const job = await context.client.request<Job>({
    method: 'PUT',
    path: `${jobPath(context.job)}/status`,
    body,
    signal: context.signal,
  });
  context.rememberJob(job);
  return job;
}

function withConditions(live: JobStatus, to: JobStatus): JobStatus {
  const conditions = mergedConditions(live.conditions ?? [], to.conditions ?? []);
  return { ...to, ...(conditions.length > 0 && { conditions }) };
}

function written(job: Job): OutcomeOf<'WriteStatus'> {
  return { kind: 'WriteStatus', result: 'written', job: jobFacts(job) };
}

/** Foreign conditions as on the server and ours as decided, in the order in which they were added (J-6.34). */
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
