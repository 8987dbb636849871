import { GRANT, PLACED_FOR } from '../../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { PlacementCommandOf } from '../../../../workflows/placement/commands.ts';
import { KubernetesApiError, errorMessage, UnavailableError } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { impatientClient } from '../../../adapters/kubernetes/impatient-client.ts';
import { toApiFailure, isNotFound, readJobNamed, type Requesting } from '../../command/requests.ts';
import type { PlacementContext } from './context.ts';

/**
 * The time within which the home or the cluster of a member must answer one request, in milliseconds, because other
 * requests wait for the answer.
 */
const ANSWERS_WITHIN_MS = 3000;

/** A reference to a Job of the same namespace in a member's cluster. */
export function memberRef(
  { job }: Pick<Requesting, 'job'>,
  cluster: string,
  name: string,
  uid = '',
): Requesting['job'] {
  return { cluster, namespace: job.namespace, name, uid };
}

/**
 * The outcome when a cluster does not answer, or when this worker has no access to the cluster. A missing answer is not
 * an error, but is recorded as the outcome.
 */
export type NoAnswer = { result: 'unanswered'; message: string };

/** The client for requests on which other requests wait. */
export function createImpatientClient(client: KubernetesClient): KubernetesClient {
  return impatientClient(client, ANSWERS_WITHIN_MS);
}

/**
 * Runs requests. An outage is an outcome, so that no other command of the Job waits for a cluster that does not answer,
 * not even for the home (J-16.13).
 */
export async function outageAsNoAnswer<T>(
  { signal }: PlacementContext,
  act: () => Promise<T>,
): Promise<T | NoAnswer> {
  try {
    return await act();
  } catch (error) {
    signal.throwIfAborted();
    if (isUnavailable(error)) return { result: 'unanswered', message: errorMessage(error) };
    throw error;
  }
}

/** Runs requests against a member's cluster. */
export async function requestMemberCluster<T>(
  context: PlacementContext,
  cluster: string,
  act: (client: KubernetesClient) => Promise<T>,
): Promise<T | NoAnswer> {
  const client = context.memberClient(cluster);
  if (client === null)
    return {
      result: 'unanswered',
      message: `this worker has no access to the cluster ${cluster}; add its context to JOBLEDGER_CONTEXTS`,
    };
  return outageAsNoAnswer(context, async () => {
    const impatient = createImpatientClient(client);
    await context.requireKnownCluster(impatient, context.signal);
    return act(impatient);
  });
}

/** True when the error means that the cluster does not answer at present. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof UnavailableError) return true;
  return error instanceof KubernetesApiError && ['outage', 'throttled'].includes(error.meaning);
}

/** The outcome when the API server refuses a request. */
export type Refusal = { result: 'failed'; error: ReturnType<typeof toApiFailure> };

/** Converts a refusal to an outcome; every other error is thrown. */
export function toRefusal(error: unknown): Refusal {
  return { result: 'failed', error: toApiFailure(error) };
}

/**
 * Converts an error to the outcome that the member is gone, or that the request was refused. A Job with the name and
 * another UID is not our member, so our member is gone.
 */
export function goneOrRefusal(
  context: PlacementContext,
  { cluster, name, uid }: { cluster: string; name: string; uid: string },
) {
  return async (error: unknown): Promise<{ result: 'gone' } | Refusal> => {
    if (isNotFound(error)) return { result: 'gone' };
    if (error instanceof KubernetesApiError && error.status === 409) {
      const found = await memberOrRefusal(context, cluster, name);
      if (found === null || ('metadata' in found && found.metadata.uid !== uid)) return { result: 'gone' };
    }
    return toRefusal(error);
  };
}

async function memberOrRefusal(context: PlacementContext, cluster: string, name: string) {
  try {
    return await requestMemberCluster(context, cluster, (client) =>
      readJobNamed({ client, job: memberRef(context, cluster, name), signal: context.signal }, name),
    );
  } catch (error) {
    return toRefusal(error);
  }
}

/** The field `epoch` of an outcome; empty before the first restore. */
export function epochField(epoch: number): { epoch?: number } {
  return epoch > 0 ? { epoch } : {};
}

/** The epoch of the cluster's next answers. A decision of an earlier epoch may have no epoch. */
export function answeringEpoch(
  { getEpoch }: PlacementContext,
  { cluster, from }: Pick<PlacementCommandOf<'CreateMember' | 'LookUpMember'>, 'cluster' | 'from'>,
): number {
  return Math.max(from?.epoch ?? 0, getEpoch(cluster));
}

/** True when a Job has the annotations of a member of this grant. */
export function hasMarks({ metadata }: Job, marks: Readonly<Record<string, string | undefined>>): boolean {
  return [PLACED_FOR, GRANT].every((name) => metadata.annotations?.[name] === marks[name]);
}
