import { isFinished } from '../../../workflows/batch/conditions.ts';
import { PLACEMENT_FINALIZER, PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { byName, fullPlace, type FullyNamed } from './full-names.ts';
import type { Surveyed } from './surveyed.ts';

/** A placed Job of the cluster. */
export interface PlannedPlacedJob extends FullyNamed {
  uid: string;
  /** True when the Job has our finalizer, which the detachment removes. */
  held: boolean;
  /** True when the Job has not finished, so that no controller runs it after the detachment. */
  open: boolean;
  /** `<cluster>/<namespace>/<name>` of the members of the Job in every cluster, from the ledger. */
  members: readonly string[];
}

/** A member in this cluster whose home is another cluster. */
export interface MemberOfAnother extends FullyNamed {
  open: boolean;
  /** `<cluster>/<namespace>/<name>` of the placed Job. */
  home: string;
}

/**
 * The placed Jobs that a detachment affects: Jobs whose home is the cluster, and members in the cluster with another home.
 */
export function planOfPlacedJobs({ cluster, jobs, members }: Surveyed): {
  placed: PlannedPlacedJob[];
  members: MemberOfAnother[];
} {
  const here = members.filter((member) => member.cluster === cluster);
  const homes = new Map(here.map(({ uid, home }) => [uid, home]));
  return {
    placed: jobs
      .filter(({ managedBy }) => managedBy === PLACEMENT_MANAGER)
      .map(({ metadata: { namespace, name, uid, finalizers = [] }, status = {} }) => ({
        namespace,
        name,
        uid,
        held: finalizers.includes(PLACEMENT_FINALIZER),
        open: !isFinished(status),
        members: members
          .filter(({ home }) => home.cluster === cluster && home.uid === uid)
          .map(fullPlace)
          .toSorted(),
      }))
      .filter(({ held, open }) => held || open)
      .toSorted(byName),
    members: jobs
      .flatMap(({ metadata: { namespace, name, uid }, status = {} }) => {
        const home = homes.get(uid);
        if (home === undefined || home.cluster === cluster) return [];
        return [{ namespace, name, open: !isFinished(status), home: fullPlace(home) }];
      })
      .toSorted(byName),
  };
}
