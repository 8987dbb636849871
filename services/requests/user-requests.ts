import { randomUUID } from 'node:crypto';
import type { RequestReceived } from '../../workflows/job/events.ts';
import { PLACEMENT_MANAGER } from '../../workflows/kubernetes/names.ts';
import { isPrintable } from '../adapters/printable.ts';
import { InputError } from '../adapters/errors.ts';
import { REQUESTS_SOURCE, withDigest } from '../adapters/events/event-codec.ts';
import { fullName, type JobLocation } from '../read-model/views/full-name.ts';
import type { JobView } from '../read-model/views/jobs.ts';
import type { LazyAppender } from '../adapters/kafka/lazy-appender.ts';

/** The requests that a user can make for a Job. */
export type UserRequest = 'suspend' | 'resume';

/** A request that is impossible in the Job's present state. */
export class RefusedRequestError extends InputError {
  override readonly name = 'RefusedRequestError';
}

/**
 * Rejects requests that are known to have no effect. `home` is the placed Job that the Job runs; null also when the
 * user may not see the placed Job. @throws RefusedRequestError with the reason.
 */
export function requireRequestable(job: JobView, request: UserRequest, home: JobLocation | null): void {
  const refusal = refusalReason(job, home);
  if (refusal !== null) throw new RefusedRequestError(`cannot ${request} ${fullName(job)}: ${refusal}`);
}

/**
 * The reason why a request has no effect; null when it may have an effect. Because the tables may lag behind, the
 * workflow decides finally, and records a refusal in the ledger.
 */
function refusalReason(job: JobView, home: JobLocation | null): string | null {
  if (job.deleted_at !== null) return `it was deleted at ${job.deleted_at}`;
  if (job.member) {
    const instead = home === null ? 'that Job' : fullName(home);
    return `it runs a placed Job, whose home decides about it; use ${instead} instead`;
  }
  if (job.finished_at !== null) return `it has been ${job.kubectl_status} since ${job.finished_at}`;
  if (!job.claimed)
    return `${job.managed_by ?? "the cluster's own Job controller"} controls it, not Jobledger`;
  return null;
}

/**
 * Appends a user request to the ledger; `by` names the user. The dispatcher signals the request to the current run of
 * the Job's workflow. @throws UnavailableError; RefusedRequestError for a name with characters that could forge other
 * lines of output.
 */
export function appendUserRequest(
  { append }: Pick<LazyAppender, 'append'>,
  job: JobView,
  request: UserRequest,
  by: string,
): Promise<void> {
  if (!isPrintable(by))
    return Promise.reject(
      new RefusedRequestError('the name of the user must not contain control or bidirectional characters'),
    );
  return append([requestReceived(job, request, by)]);
}

function requestReceived(
  { cluster, uid, namespace, name, managed_by: managedBy }: JobView,
  action: UserRequest,
  by: string,
): RequestReceived {
  return withDigest<RequestReceived>({
    id: `${cluster}/${uid}/request/${randomUUID()}`,
    type: 'request.received',
    source: REQUESTS_SOURCE,
    subject: `${namespace}/${name}`,
    time: new Date().toISOString(),
    data: {
      cluster,
      jobUid: uid,
      ...(managedBy === PLACEMENT_MANAGER && { placedJobUid: uid }),
      action,
      by,
    },
  });
}
