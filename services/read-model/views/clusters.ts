/** A cluster that was ever connected, with the numbers of its Jobs and of its unusable records in the ledger. */
export interface ClusterView {
  name: string;
  uid: string | null;
  version: string | null;
  apis: string[] | null;
  /** The resources that are not recorded, because the ingester may not read them. */
  not_recorded: string[];
  first_connected_at: string | null;
  last_connected_at: string | null;
  job_count: number;
  unfinished_count: number;
  gap_count: number;
  last_gap_since: string | null;
  last_gap_until: string | null;
  /** The time when the last request of the audit log was recorded, in any namespace; null without such a request. */
  last_api_request_at: string | null;
  /** The number of active pods of the Jobs that run in the cluster, including members, but not their placed Jobs. */
  active_pod_count: number;
  /** The number of placed Jobs that the cluster has. */
  placed_count: number;
  /** The number of dead letters about the cluster; null when the places do not include the whole cluster. */
  dead_letter_count: number | null;
  first_dead_letter_at: string | null;
}

/** A placed Job that a cluster has. */
export interface PlacedView {
  home: string;
  namespace: string;
  job_name: string;
  job_uid: string;
  member_name: string;
  member_uid: string | null;
  /** The reason why the member is stopped although the Job continues; null while the member runs. */
  stopping: string | null;
  /** The number of pods that have not ended, and the number of the indexes that they run. */
  pod_count: number;
  index_count: number;
}

/** The unusable records of the ledger with any key. */
export interface DeadLettersView {
  dead_letter_count: number;
  first_dead_letter_at: string | null;
}
