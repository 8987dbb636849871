import type { PodOutcome } from '../../../workflows/job/outcomes.ts';
import { trackingFinalizer, type Claim } from '../../../workflows/kubernetes/names.ts';
import { isRetryable } from '../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { retry } from '../../../services/adapters/waiting/retry.ts';
import {
  releaseAfterRead,
  releaseWithoutRead,
  type PodContext,
} from '../../../services/worker/activities/job/pod-patches.ts';
import { fullName } from './full-names.ts';
import type { PlannedPod, DetachPlan } from './plan.ts';

interface Freeing {
  client: KubernetesClient;
  claim: Claim;
  signal: AbortSignal;
  /** Is called before each change, and throws if no change is allowed any more. */
  permit: () => void;
}

/** The results for the pods of a plan. */
export interface Freed {
  /** The number of pods whose finalizer was removed. */
  freed: number;
  /** The number of pods that were deleted, or that a Job of another controller has adopted since the plan. */
  gone: number;
  /** The pods that keep the finalizer, with the reasons. */
  failed: { pod: string; reason: string }[];
}

const IN_PARALLEL = 20;
const ATTEMPTS = 5;

/**
 * Removes the finalizers, with the conditional requests of the worker. A refused request does not stop the other requests. @throws UnavailableError
 * if the API server does not answer; earlier changes stay.
 */
export async function freePods({ jobs, orphans }: DetachPlan, freeing: Freeing): Promise<Freed> {
  const work = [
    ...jobs.flatMap(({ pods, ...job }) =>
      pods.map((pod) => ({ pod, context: podContext(freeing, job), release: releasePod })),
    ),
    // Like the worker for a pod without a Job: the pod has its own stream, and no live Job may be its controller.
    ...orphans.map((pod) => ({ pod, context: podContext(freeing, pod), release: releaseAfterRead })),
  ];
  const result: Freed = { freed: 0, gone: 0, failed: [] };
  for (let at = 0; at < work.length; at += IN_PARALLEL) {
    freeing.permit();
    const part = work.slice(at, at + IN_PARALLEL);
    const outcomes = await Promise.all(
      part.map(async ({ pod, context, release }) => ({
        pod,
        outcome: await retryRequest(() => release(context, pod), freeing.signal),
      })),
    );
    for (const { pod, outcome } of outcomes) countOutcome(result, pod, outcome);
  }
  return result;
}

/** Repeats a request a few times if the API server is busy or does not answer. @throws UnavailableError. */
export function retryRequest<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return retry(attempt, {
    signal,
    shouldRetry: isRetryable,
    onFailedAttempt: (error, failures) => {
      if (failures >= ATTEMPTS) throw error;
    },
  });
}

/** Adds the outcome for a pod to the result. */
function countOutcome(result: Freed, pod: PlannedPod, outcome: PodOutcome): void {
  switch (outcome.result) {
    case 'done':
      result.freed += 1;
      return;
    case 'gone':
      result.gone += 1;
      return;
    case 'failed':
      result.failed.push({ pod: fullName(pod), reason: outcome.error.message });
  }
}

/** The context for a request about a pod of a Job, or about a pod without a Job. */
function podContext(
  { client, claim, signal }: Freeing,
  { uid, namespace, name }: { uid: string; namespace: string; name: string },
): PodContext {
  return {
    client,
    job: { cluster: client.cluster, uid, namespace, name },
    claimed: { finalizer: trackingFinalizer(claim) },
    signal,
  };
}

/** Removes the finalizer of a pod of a Job. */
async function releasePod(context: PodContext, pod: PlannedPod): Promise<PodOutcome> {
  return (await releaseWithoutRead(context, pod)).outcome;
}
