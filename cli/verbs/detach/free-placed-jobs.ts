import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { releaseJob } from '../../../services/worker/activities/placed-job/home.ts';
import { readThisJob } from '../../../services/worker/activities/requests.ts';
import { retryRequest } from './free-pods.ts';
import { fullName } from './full-names.ts';
import type { DetachPlan } from './plan.ts';

/** The fate of the placed Jobs of a plan that had our finalizer. */
export interface FreedJobs {
  /** These placed Jobs are now without the finalizer. */
  freed: number;
  /** Gone, or replaced by another Job of the name. */
  gone: number;
  /** The placed Jobs that keep the finalizer, with the reason. */
  failed: { job: string; reason: string }[];
}

interface Freeing {
  client: KubernetesClient;
  signal: AbortSignal;
  /** Throws if nothing more may be changed. Called before each change. */
  permit: () => void;
}

/**
 * Removes our finalizer from placed Jobs with the conditional request of the worker; the refusal of one request does
 * not stop the others. @throws UnavailableError if the API server does not answer; earlier changes stay.
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
