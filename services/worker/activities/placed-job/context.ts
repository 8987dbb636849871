import type { JobRef } from '../../../../workflows/activities.ts';
import type { PlacementOutcome } from '../../../../workflows/placement/outcomes.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { KubernetesApiError, errorMessage, UnavailableError } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { impatientClient } from '../../../adapters/kubernetes/impatient-client.ts';
import type { RequireKnownCluster } from '../../placement/known-cluster.ts';
import type { Requesting } from '../requests.ts';

/** The context of one command about a placed Job: its home, and the clusters of its members. */
export interface PlacementContext extends Requesting {
  /** The client for a member's cluster; null when this worker has no access. */
  memberClient(cluster: string): KubernetesClient | null;
  requireKnownCluster: RequireKnownCluster;
  /**
   * The epoch of the versions with which a cluster answers at present; for moments after a restore, an earlier epoch.
   */
  getEpoch(cluster: string): number;
  /** The present placed Job on the server; null when it is gone, or another Job has its name. */
  readJob(): Promise<Job | null>;
  /** Keeps a version of the placed Job from a response of the server. */
  rememberJob(job: Job): void;
  /** The id of the decision, which is the mark of a grant that the decision gives. */
  decision: string;
}

type WithoutInstant<A> = A extends PlacementOutcome ? Omit<A, 'at'> : never;

/** The outcome of any command, without its instant. */
export type AnyPlacementOutcome = WithoutInstant<PlacementOutcome>;

export type PlacementOutcomeOf<K extends PlacementOutcome['kind']> = WithoutInstant<
  Extract<PlacementOutcome, { kind: K }>
>;

/**
 * The time within which the home or the cluster of a member must answer one request, in milliseconds, because other
 * requests wait for the answer.
 */
const ANSWERS_WITHIN_MS = 3000;

/** A reference to a Job of the same namespace in a member's cluster. */
export function memberRef({ job }: Pick<Requesting, 'job'>, cluster: string, name: string, uid = ''): JobRef {
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
