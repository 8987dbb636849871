import type {
  JobDetails,
  ListedDecision,
  ListedGap,
  ListedPlacement,
  ListedPod,
  RequestEvent,
} from '../api/rows.ts';

/** A pod of the Job or of a member of it. */
export interface LifePod extends ListedPod {
  /** The Job that the pod belongs to, when it is a member of a spread Job. */
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
  /** People's requests, in order. */
  requests: RequestEvent[];
  /** False when more rows exist than the page shows. */
  isWhole: boolean;
}
