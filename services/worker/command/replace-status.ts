import { canonicalJson } from '../../../workflows/ledger/digest.ts';
import type { ApiFailure } from '../../../workflows/decision/api-failure.ts';
import type { Condition, Job, JobStatus } from '../../../workflows/kubernetes/objects.ts';
import { toApiFailure, isConflict, isForbidden, isNotFound, jobPath, type Requesting } from './requests.ts';

/** The number of attempts after which the outcome is a failure, because other clients may keep writing the same Job. */
const ATTEMPTS = 5;

/** The Job, and the conditions that its controller owns. Other conditions remain unchanged on the server. */
export interface StatusContext extends Requesting {
  readJob(): Promise<Job | null>;
  rememberJob(job: Job): void;
  isOwn(condition: Condition): boolean;
}

/** The status to write. The status was `from` at `resourceVersion`, and was decided with the spec of `generation`. */
interface StatusWrite {
  resourceVersion: string;
  generation: number;
  from: JobStatus;
  to: JobStatus;
}

export type StatusWritten =
  | { result: 'written' | 'conflict'; job: Job }
  | { result: 'gone' }
  | { result: 'failed'; error: ApiFailure };

/**
 * Writes the controller's fields of a Job's status, with all other fields unchanged (J-1.25). In most cases, the Job
 * still has the version that the decision knew, so that no read is needed.
 */
export async function replaceStatus(context: StatusContext, write: StatusWrite): Promise<StatusWritten> {
  try {
    return { result: 'written', job: await patchKnown(context, write) };
  } catch (error) {
    if (isNotFound(error)) return { result: 'gone' };
    // The account may have the rights of an earlier version of Jobledger, which did not patch.
    if (!isConflict(error) && !isForbidden(error)) return { result: 'failed', error: toApiFailure(error) };
    return writeNewest(context, write);
  }
}

/**
 * Sends the changes as a merge patch, which the API server refuses with a conflict unless the Job has the known
 * version.
 */
async function patchKnown(context: StatusContext, { resourceVersion, from, to }: StatusWrite): Promise<Job> {
  const job = await context.client.request<Job>({
    method: 'PATCH',
    path: `${jobPath(context.job)}/status`,
    contentType: 'application/merge-patch+json',
    body: {
      metadata: { uid: context.job.uid, resourceVersion },
      status: mergePatch(from, withConditions(context, from, to)),
    },
    signal: context.signal,
  });
  context.rememberJob(job);
  return job;
}

/** The JSON merge patch (RFC 7386) that turns `from` into `to`; null removes a field. */
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
 * Writes our fields with a PUT to the newest version of the Job. If another client changed other fields, the PUT is
 * repeated with the new version. If our fields differ from the known values, the outcome is a conflict, unless an
 * earlier attempt has already written the wanted values. A changed spec is a conflict too: a Job that was scaled up is
 * not complete, a Job with a higher limit has not failed, and the API server would refuse the status of a suspended Job
 * that was resumed (J-1.40).
 */
async function writeNewest(
  context: StatusContext,
  { generation, from, to }: StatusWrite,
): Promise<StatusWritten> {
  let live = await context.readJob();
  for (let attempt = 1; live !== null; attempt += 1) {
    if (isSameOwnPart(context, live.status, to)) return { result: 'written', job: live };
    if (!isSameOwnPart(context, live.status, from) || (live.metadata.generation ?? 1) !== generation) break;
    try {
      return { result: 'written', job: await putStatus(context, live, to) };
    } catch (error) {
      if (isNotFound(error)) return { result: 'gone' };
      // The write was refused with a conflict although no client changed our fields, and an immediate decision would
      // repeat the same write.
      if (!isConflict(error) || attempt === ATTEMPTS) return { result: 'failed', error: toApiFailure(error) };
    }
    live = await context.readJob();
  }
  return live === null ? { result: 'gone' } : { result: 'conflict', job: live };
}

async function putStatus(context: StatusContext, live: Job, to: JobStatus): Promise<Job> {
  const body = {
    ...live,
    apiVersion: 'batch/v1',
    kind: 'Job',
    status: withConditions(context, live.status ?? {}, to),
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

type IsOwn = Pick<StatusContext, 'isOwn'>;

function withConditions(of: IsOwn, live: JobStatus, to: JobStatus): JobStatus {
  const conditions = mergedConditions(of, live.conditions ?? [], to.conditions ?? []);
  return { ...to, ...(conditions.length > 0 && { conditions }) };
}

/**
 * The foreign conditions from the server and our conditions from the decision, in the order in which they were added
 * (J-6.34).
 */
export function mergedConditions(
  { isOwn }: IsOwn,
  live: readonly Condition[],
  wished: readonly Condition[],
): Condition[] {
  const ours = new Map(wished.filter(isOwn).map((condition) => [condition.type, condition]));
  const kept = live.flatMap((condition) => {
    if (!isOwn(condition)) return [condition];
    const wanted = ours.get(condition.type);
    ours.delete(condition.type);
    return wanted === undefined ? [] : [wanted];
  });
  return [...kept, ...ours.values()];
}

/** True when two statuses are equal in the fields that Jobledger writes. */
function isSameOwnPart(of: IsOwn, a: JobStatus | undefined, b: JobStatus): boolean {
  return canonicalJson(ownPart(of, a ?? {})) === canonicalJson(ownPart(of, b));
}

/** Our fields of a status; empty lists of the built-in controller count as absent. */
function ownPart(
  { isOwn }: IsOwn,
  { conditions = [], uncountedTerminatedPods, ...rest }: JobStatus,
): unknown {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return { ...rest, conditions: conditions.filter(isOwn), uncounted: { succeeded, failed } };
}
