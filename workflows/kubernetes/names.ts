/** Names that are part of the Kubernetes API, or that Jobledger reserves in it (J-1.1, J-4.30). */
export const RESERVED_FINALIZER = 'batch.kubernetes.io/job-tracking';
export const OWN_FINALIZER = 'jobledger.dev/job-tracking';

export const BUILT_IN_MANAGER = 'kubernetes.io/job-controller';
export const OWN_MANAGER = 'jobledger.dev/job-controller';

export const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name';
export const CONTROLLER_UID_LABEL = 'batch.kubernetes.io/controller-uid';
/** The labels that the API server generates for each Job and its pods, to select them (J-1.1). */
export const GENERATED_LABELS = [CONTROLLER_UID_LABEL, JOB_NAME_LABEL, 'controller-uid', 'job-name'];
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
export const INDEX_FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count';
export const INDEX_IGNORED_FAILURE_COUNT = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** The annotations with which a Job asks for the semantics of Kubernetes' first proposal of Jobs (J-12.8). */
export const BACKOFF_SECONDS = 'jobledger.dev/backoff-seconds';
export const FAILED_PODS_LIMIT = 'jobledger.dev/failed-pods-limit';
export const START_AND_FINISH_EVENTS = 'jobledger.dev/start-and-finish-events';
/** The annotation of a Job that was submitted through the API of Jobledger; its value is the id of the submission. */
export const SUBMISSION = 'jobledger.dev/submission';
/** The annotation of a Job that waits for other Jobs (J-12.6). */
export const AFTER = 'jobledger.dev/after';

/** The API of Workloads and PodGroups of Kubernetes 1.36 (J-8.1), and the API since 1.37 (J-8.20). */
export const GANG_API = 'scheduling.k8s.io/v1alpha2';
export const POD_GROUP_API = 'scheduling.k8s.io/v1beta1';

/** The annotation of a Job that names the template of its PodGroup in the Workload of its owner (J-8.22). */
export const GROUP_TEMPLATE_NAME = 'scheduling.k8s.io/group-template-name';

export const SCHEDULED_TIMESTAMP = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The Jobs that Jobledger claims (the setting `--claim`). */
export type Claim = 'managed' | 'all';

/** True when Jobledger claims a Job with this `spec.managedBy` (J-15.10). */
export function isClaimed(claim: Claim, managedBy: string | undefined): boolean {
  if (managedBy === OWN_MANAGER) return true;
  return claim === 'all' && (managedBy === undefined || managedBy === BUILT_IN_MANAGER);
}

/** The finalizer that Jobledger puts on pods (J-4.32, J-4.33); a pod with either name counts as tracked (J-4.34). */
export function trackingFinalizer(claim: Claim): string {
  return claim === 'all' ? RESERVED_FINALIZER : OWN_FINALIZER;
}

/** The value of `spec.managedBy` of a Job that runs in the cluster that Jobledger chooses for it (J-16.1). */
export const PLACEMENT_MANAGER = 'jobledger.dev/placement';
/** The finalizer of a placed Job that has members (J-16.3). */
export const PLACEMENT_FINALIZER = 'jobledger.dev/placement';
/** The condition of a placed Job that shows where the Job runs (J-16.8). */
export const PLACED = 'jobledger.dev/Placed';

/** The annotations of a placed Job (J-16.2). */
export const CLUSTERS = 'jobledger.dev/clusters';
export const SPILL_AFTER = 'jobledger.dev/spill-after';
export const SPREAD = 'jobledger.dev/spread';
export const IF_CLUSTER_IS_LOST = 'jobledger.dev/if-cluster-is-lost';

/**
 * The annotations of a member: its home as `<cluster>/<namespace>/<name>/<uid>`, and the mark of its grant (J-16.6).
 */
export const PLACED_FOR = 'jobledger.dev/placed-for';
export const GRANT = 'jobledger.dev/grant';
/** The annotation of a member with the failures of the previous member, in JSON (J-16.23). */
export const CONTINUED_FAILURES = 'jobledger.dev/continued-failures';
/** The annotation of a member that runs only some indexes: the grant of its home, as `<number>:<indexes>` (J-16.24). */
export const INDEXES = 'jobledger.dev/indexes';
/**
 * The annotation of a Job that repeats the work of an earlier Job, with the UID of that Job. With the annotation
 * `INDEXES`, the Job repeats only the indexes of that annotation.
 */
export const RETRY_OF = 'jobledger.dev/retry-of';
/** The annotation of a member that may end with its guard; its value is the UID of the guard (J-16.16). */
export const GUARDED = 'jobledger.dev/guarded';
/** All annotations of a member that describe its home; a copy of a Job does not have them. */
export const MEMBER_ANNOTATIONS = [PLACED_FOR, GRANT, CONTINUED_FAILURES, INDEXES, GUARDED];
/** The condition of a Job with a grant of indexes that acknowledges the grant, with the indexes that the Job keeps (J-16.24). */
export const INDEXES_KEPT = 'jobledger.dev/Indexes';
