import { isOwnCondition } from '../../../../workflows/batch/conditions.ts';
import { jobExpiry } from '../../../../workflows/batch/expiry.ts';
import { PLACED, PLACEMENT_FINALIZER } from '../../../../workflows/kubernetes/names.ts';
import type { Condition, Job } from '../../../../workflows/kubernetes/objects.ts';
import type { PlacementCommandOf } from '../../../../workflows/placement/commands.ts';
import type { PlacedJobFacts } from '../../../../workflows/placement/facts.ts';
import { placedJobFacts } from '../../../../workflows/placement/observe/compact.ts';
import { replaceStatus } from '../../command/replace-status.ts';
import { toApiFailure, isConflict, isNotFound, jobPath } from '../../command/requests.ts';
import type { PlacementContext, PlacementOutcomeOf } from './context.ts';

/** The most attempts. Other clients may keep writing the same Job; the core then decides again. */
const ATTEMPTS = 5;

/** The dependencies for a change of the placed Job itself, also for `jobledger admin detach`, which has no worker. */
type HomeContext = Pick<PlacementContext, 'client' | 'job' | 'signal' | 'readJob'>;

type Kind = 'AddFinalizer' | 'RemoveFinalizer';

/** Adds our finalizer to the placed Job (J-16.3). */
export function holdJob(context: HomeContext): Promise<PlacementOutcomeOf<Kind>> {
  return changeFinalizers(context, 'AddFinalizer', (finalizers) =>
    finalizers.includes(PLACEMENT_FINALIZER) ? finalizers : [...finalizers, PLACEMENT_FINALIZER],
  );
}

/** Removes our finalizer from the placed Job (J-16.17). */
export function releaseJob(context: HomeContext): Promise<PlacementOutcomeOf<Kind>> {
  return changeFinalizers(context, 'RemoveFinalizer', (finalizers) =>
    finalizers.filter((each) => each !== PLACEMENT_FINALIZER),
  );
}

async function changeFinalizers(
  context: HomeContext,
  kind: Kind,
  change: (finalizers: string[]) => string[],
): Promise<PlacementOutcomeOf<Kind>> {
  // A merge patch replaces the whole list.
  const outcome = await readAndPatchHome(context, ({ metadata }) => {
    const { finalizers = [], deletionTimestamp } = metadata;
    const wanted = change(finalizers);
    // The API server refuses new finalizers on an object that is being deleted.
    if (kind === 'AddFinalizer' && deletionTimestamp !== undefined) return 'conflict';
    return wanted.length === finalizers.length ? 'done' : { metadata: { finalizers: wanted } };
  });
  return { kind, ...outcome };
}

type Unpatched = 'conflict' | 'done';
type PatchedAsRead<Result extends Unpatched> =
  | { result: 'gone' }
  | { result: 'done' | Result; job: PlacedJobFacts }
  | { result: 'failed'; error: ReturnType<typeof toApiFailure> };

/**
 * Reads and changes the placed Job. The version that was read is the precondition, so that a late request changes
 * nothing. `change` returns the fields to change, or the result without a change.
 */
async function readAndPatchHome<Result extends Unpatched>(
  { client, job, signal, readJob }: HomeContext,
  change: (live: Job) => Result | { metadata?: object; spec?: object },
): Promise<PatchedAsRead<Result>> {
  for (let attempt = 1; ; attempt += 1) {
    const live = await readJob();
    if (live === null) return { result: 'gone' };
    const changed = change(live);
    if (typeof changed === 'string') return { result: changed, job: placedJobFacts(job.cluster, live) };
    const { uid, resourceVersion } = live.metadata;
    try {
      const patched = await client.request<Job>({
        method: 'PATCH',
        path: jobPath(job),
        contentType: 'application/merge-patch+json',
        body: { ...changed, metadata: { uid, resourceVersion, ...changed.metadata } },
        signal,
      });
      return { result: 'done', job: placedJobFacts(job.cluster, patched) };
    } catch (error) {
      if (isNotFound(error)) return { result: 'gone' };
      if (!isConflict(error) || attempt === ATTEMPTS) return { result: 'failed', error: toApiFailure(error) };
    }
  }
}

export async function writePlacedStatus(
  context: PlacementContext,
  command: PlacementCommandOf<'WriteStatus'>,
): Promise<PlacementOutcomeOf<'WriteStatus'>> {
  const isOwn = (condition: Condition): boolean => isOwnCondition(condition) || condition.type === PLACED;
  const written = await replaceStatus({ ...context, isOwn }, command);
  if (!('job' in written)) return { kind: 'WriteStatus', ...written };
  const job = placedJobFacts(context.job.cluster, written.job);
  return { kind: 'WriteStatus', result: written.result, job };
}

/** Changes `spec.suspend` at the request of a user by a PATCH; the ordinary rules handle the change. */
export async function suspendPlacedJob(
  context: PlacementContext,
  { suspend, request }: PlacementCommandOf<'SetSuspend'>,
): Promise<PlacementOutcomeOf<'SetSuspend'>> {
  const outcome = await readAndPatchHome<never>(context, () => ({ spec: { suspend } }));
  return { kind: 'SetSuspend', request, ...outcome };
}

/** Deletes the placed Job, unless its present version on the API server has not expired (J-10.4). */
export async function deletePlacedJob(
  context: PlacementContext,
  { expiredAt }: PlacementCommandOf<'DeleteJob'>,
): Promise<PlacementOutcomeOf<'DeleteJob'>> {
  const { client, job, signal } = context;
  const live = await context.readJob();
  if (live === null) return { kind: 'DeleteJob', result: 'gone' };
  const facts = placedJobFacts(job.cluster, live);
  if ((jobExpiry(facts) ?? Infinity) > expiredAt) return { kind: 'DeleteJob', result: 'kept', job: facts };
  const { uid, resourceVersion } = live.metadata;
  try {
    await client.request({
      method: 'DELETE',
      path: jobPath(job),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Foreground',
        preconditions: { uid, resourceVersion },
      },
      signal,
    });
    return { kind: 'DeleteJob', result: 'done' };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'DeleteJob', result: 'gone' };
    return { kind: 'DeleteJob', result: 'failed', error: toApiFailure(error) };
  }
}
