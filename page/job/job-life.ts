import type { JobDetails, ListedDecision, ListedGap, ListedPod, RequestEvent } from '../api/rows.ts';

/** All data about a Job, kept up to date. */
export interface JobLife {
  job: JobDetails;
  pods: ListedPod[];
  decisions: ListedDecision[];
  gaps: ListedGap[];
  /** People's requests, in order. */
  requests: RequestEvent[];
  /** False: there is more than the page shows. */
  isWhole: boolean;
}
