import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { releaseJob } from '../../../services/worker/placement/commands/home.ts';
import { readThisJob } from '../../../services/worker/command/requests.ts';
import { retryRequest } from './free-pods.ts';
import { fullName } from './full-names.ts';
import type { DetachPlan } from './plan.ts';

/** The results for the placed Jobs of a plan that had our finalizer. */
export interface FreedJobs {
  /** The number of placed Jobs whose finalizer was removed. */
  freed: number;
  /** The number of placed Jobs that were deleted, or replaced by another Job of the same name. */
  gone: number;
  /** The placed Jobs that keep the finalizer, with the reasons. */
  failed: { job: string; reason: string }[];
}

interface Freeing {
  client: KubernetesClient;
  signal: AbortSignal;
  /** Is called before each change, and throws if no change is allowed any more. */
  permit: () => void;
}

/**
 * Removes our finalizer from placed Jobs with the conditional request of the worker. A refused request does not stop the other requests. @throws
 * UnavailableError if the API server does not answer; earlier changes stay.
 */
export async function freePlacedJobs(
  { placed }: Pick<DetachPlan, 'placed'>,
  { client, signal, permit }: Freeing,
): Promise<FreedJobs> {
  const result: FreedJobs = { freed: 0, gone: 0, failed: [] };
  for (const { namespace, name, uid, held } of placed) {
    if (!held) continue;
    permit();
    const of = { client, job: { cluster: client.cluster, namespace, name, uid }, signal };
    const outcome = await retryRequest(() => releaseJob({ ...of, readJob: () => readThisJob(of) }), signal);
    if (outcome.result === 'failed')
      result.failed.push({ job: fullName({ namespace, name }), reason: outcome.error.message });
    else result[outcome.result === 'gone' ? 'gone' : 'freed'] += 1;
  }
  return result;
}
