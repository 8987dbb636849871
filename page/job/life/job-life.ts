import type {
  JobDetails,
  ListedDecision,
  ListedGap,
  ListedPlacement,
  ListedPod,
  RequestEvent,
} from '../../api/rows.ts';

/** A pod of a Job, or of a member of a placed Job. */
export interface LifePod extends ListedPod {
  /** The member that has the pod, if the Job is a spread Job. */
  member?: { cluster: string; uid: string; name: string };
}

/** All data about a Job, kept up to date. */
export interface JobLife {
  job: JobDetails;
  pods: LifePod[];
  /** The clusters that got a placed Job, in order; empty for any other Job. */
  placements: ListedPlacement[];
  decisions: ListedDecision[];
  gaps: ListedGap[];
  /** The requests of users, in order. */
  requests: RequestEvent[];
  /** False when more rows exist than the page shows. */
  isWhole: boolean;
}

/** True when the Job runs in several clusters at the same time, each with some of its indexes. */
export function isSpread(placements: readonly ListedPlacement[]): boolean {
  return placements.some(({ granted: held }) => held !== null);
}
