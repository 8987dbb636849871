import { isClaimed, trackingFinalizer, type Claim } from '../../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { Requesting } from '../../command/requests.ts';

/** The Jobs that this worker acts for. */
export interface ClaimedJobs {
  /** The finalizer that the claim puts on pods. */
  finalizer: string;
  /** True when the Job is known to be ours. */
  has(job: Requesting['job']): boolean;
  /** True when the given Job is ours; the result is remembered, because `spec.managedBy` cannot be changed. */
  check(ref: Requesting['job'], job: Job): boolean;
}

/** The most Jobs that are remembered; forgotten Jobs are read again. */
const MAX_REMEMBERED = 100_000;

export function createClaimedJobs(claim: Claim): ClaimedJobs {
  const known = new Set<string>();
  const jobKey = ({ namespace, name, uid }: Requesting['job']): string => `${namespace}/${name}/${uid}`;
  return {
    finalizer: trackingFinalizer(claim),
    has: (job) => known.has(jobKey(job)),
    check(ref, { spec }) {
      if (!isClaimed(claim, spec.managedBy)) return false;
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.add(jobKey(ref));
      return true;
    },
  };
}
