import { isOwnCondition } from '../../../../workflows/job/definitions/conditions.ts';
import { jobExpiry } from '../../../../workflows/job/definitions/expiry.ts';
import { PLACED, PLACEMENT_FINALIZER } from '../../../../workflows/kubernetes/names.ts';
import type { Condition, Job } from '../../../../workflows/kubernetes/objects.ts';
import type { PlacementCommandOf } from '../../../../workflows/placement/commands.ts';
import { placedJobFacts } from '../../../../workflows/placement/observe/compact.ts';
import { replaceStatus } from '../replace-status.ts';
import { toApiFailure, isConflict, isNotFound, jobPath } from '../requests.ts';
import type { PlacementContext, PlacementOutcomeOf } from './context.ts';

/** Others may keep writing the same Job; then the core decides again. */
const ATTEMPTS = 5;

/** The dependencies of a change of the placed Job itself, also for `jobledger admin detach`, which has no worker. */
type HomeContext = Pick<PlacementContext, 'client' | 'job' | 'signal' | 'readJob'>;

type Kind = 'AddFinalizer' | 'RemoveFinalizer';

/** Puts our finalizer on the placed Job (J-16.3). */
export function holdJob(context: HomeContext): Promise<PlacementOutcomeOf<Kind>> {
  return withFinalizers(context, 'AddFinalizer', (finalizers) =>
    finalizers.includes(PLACEMENT_FINALIZER) ? finalizers : [...finalizers, PLACEMENT_FINALIZER],
  );
}

/** Removes it (J-16.17). */
export function releaseJob(context: HomeContext): Promise<PlacementOutcomeOf<Kind>> {
  return withFinalizers(context, 'RemoveFinalizer', (finalizers) =>
    finalizers.filter((each) => each !== PLACEMENT_FINALIZER),
  );
}

/** A merge patch replaces the whole list, so the version that was read is its precondition. */
async function withFinalizers(
  context: HomeContext,
  kind: Kind,
  change: (finalizers: string[]) => string[],
): Promise<PlacementOutcomeOf<Kind>> {
  const { client, job, signal } = context;
  for (let attempt = 1; ; attempt += 1) {
    const live = await context.readJob();
    if (live === null) return { kind, result: 'gone' };
    const { uid, resourceVersion, finalizers = [], deletionTimestamp } = live.metadata;
    const wanted = change(finalizers);
    // The API server refuses new finalizers on an object that is being deleted.
    const isLate = kind === 'AddFinalizer' && deletionTimestamp !== undefined;
    if (isLate || wanted.length === finalizers.length)
      return { kind, result: isLate ? 'conflict' : 'done', job: placedJobFacts(job.cluster, live) };
    try {
      const held = await client.request<Job>({
        method: 'PATCH',
        path: jobPath(job),
        contentType: 'application/merge-patch+json',
        body: { metadata: { uid, resourceVersion, finalizers: wanted } },
        signal,
      });
      return { kind, result: 'done', job: placedJobFacts(job.cluster, held) };
    } catch (error) {
      if (isNotFound(error)) return { kind, result: 'gone' };
      if (!isConflict(error) || attempt === ATTEMPTS)
        return { kind, result: 'failed', error: toApiFailure(error) };
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

/**
 * PATCHes `spec.suspend` as a user asked for; the ordinary rules handle the change. The version that was read is its precondition: a
 * request that arrives late must not undo a later one.
 */
export async function suspendPlacedJob(
  context: PlacementContext,
  { suspend, request }: PlacementCommandOf<'SetSuspend'>,
): Promise<PlacementOutcomeOf<'SetSuspend'>> {
  const { client, job, signal } = context;
  for (let attempt = 1; ; attempt += 1) {
    const live = await context.readJob();
    if (live === null) return { kind: 'SetSuspend', result: 'gone', request };
    const { uid, resourceVersion } = live.metadata;
    try {
      const changed = await client.request<Job>({
        method: 'PATCH',
        path: jobPath(job),
        contentType: 'application/merge-patch+json',
        body: { metadata: { uid, resourceVersion }, spec: { suspend } },
        signal,
      });
      return { kind: 'SetSuspend', result: 'done', request, job: placedJobFacts(job.cluster, changed) };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'SetSuspend', result: 'gone', request };
      if (!isConflict(error) || attempt === ATTEMPTS)
        return { kind: 'SetSuspend', result: 'failed', request, error: toApiFailure(error) };
    }
  }
}

/** Deletes the placed Job if the live one has expired too (J-10.4). */
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
