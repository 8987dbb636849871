import type { ClusterReleased, JobReleased } from '../../../workflows/job/events.ts';
import type { Claim } from '../../../workflows/kubernetes/names.ts';
import { REQUESTS_SOURCE, withDigest } from '../../../services/adapters/events/event-codec.ts';
import { fullNameOf } from './full-names.ts';
import { sumsOf, type ReleasePlan } from './plan.ts';

/** Who releases what. */
export interface ReleaseOrder {
  /** Id of this release. */
  release: string;
  by: string;
  cluster: string;
  claim: Claim;
  /** The released namespaces; empty: the whole cluster. */
  namespaces: readonly string[];
}

/** The events of a release, recorded before its first change: for each Job concerned, and for the cluster. */
export function releaseEvents(
  plan: ReleasePlan,
  { release, by, cluster, claim, namespaces }: ReleaseOrder,
  time: string,
): [...JobReleased[], ClusterReleased] {
  const common = { source: REQUESTS_SOURCE, time };
  const ofJobs = plan.jobs.map(({ uid, pods, running, uncounted, open, ...job }) =>
    withDigest<JobReleased>({
      ...common,
      id: `${cluster}/${uid}/released/${release}`,
      type: 'job.released',
      subject: fullNameOf(job),
      data: { cluster, jobUid: uid, release, by, pods: pods.length, running, uncounted, open },
    }),
  );
  const ofCluster = withDigest<ClusterReleased>({
    ...common,
    id: `${cluster}/released/${release}`,
    type: 'cluster.released',
    subject: cluster,
    data: {
      cluster,
      release,
      by,
      claim,
      ...(namespaces.length > 0 && { namespaces: [...namespaces] }),
      ...sumsOf(plan),
    },
  });
  return [...ofJobs, ofCluster];
}
