import type { ClusterDetached } from '../../../workflows/ledger/detachment.ts';
import type { JobDetached } from '../../../workflows/job/events.ts';
import type { Claim } from '../../../workflows/kubernetes/names.ts';
import { REQUESTS_SOURCE, withDigest } from '../../../services/adapters/events/event-codec.ts';
import { fullName } from './full-names.ts';
import { sumPlan, type DetachPlan } from './plan.ts';

/** A detachment: the person and the cluster. */
export interface DetachOrder {
  /** Id of this detachment. */
  detachment: string;
  by: string;
  cluster: string;
  claim: Claim;
  /** The detached namespaces; empty for the whole cluster. */
  namespaces: readonly string[];
}

/** The events of a detachment, one for each affected Job and one for the cluster. They are recorded before the first change. */
export function detachEvents(
  plan: DetachPlan,
  { detachment, by, cluster, claim, namespaces }: DetachOrder,
  time: string,
): [...JobDetached[], ClusterDetached] {
  const common = { source: REQUESTS_SOURCE, time };
  const ofJobs = plan.jobs.map(({ uid, pods, runningPodCount, uncountedPodCount, open, ...job }) =>
    withDigest<JobDetached>({
      ...common,
      id: `${cluster}/${uid}/detached/${detachment}`,
      type: 'job.detached',
      subject: fullName(job),
      data: {
        cluster,
        jobUid: uid,
        detachment,
        by,
        podCount: pods.length,
        runningPodCount,
        uncountedPodCount,
        open,
      },
    }),
  );
  const ofCluster = withDigest<ClusterDetached>({
    ...common,
    id: `${cluster}/detached/${detachment}`,
    type: 'cluster.detached',
    subject: cluster,
    data: {
      cluster,
      detachment,
      by,
      claim,
      ...(namespaces.length > 0 && { namespaces: [...namespaces] }),
      ...sumPlan(plan),
    },
  });
  return [...ofJobs, ofCluster];
}
