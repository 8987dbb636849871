/**
 * The possible difference between the clock of a node and the clock of its API server, and between the clocks of
 * Jobledger's processes, in milliseconds. A shorter overlap proves nothing.
 */
export const CLOCK_TOLERANCE_MS = 10_000;

/**
 * A finding about work of a placed Job in a cluster that had no right to do this work at the time. The finding is
 * plain JSON; instants are RFC 3339 in UTC.
 */
export interface PlacementFinding {
  /**
   * `two-grants` means that a cluster got the Job while another cluster had it. `before-grant` means that a pod ran
   * before its cluster got the Job, and `after-grant` that a pod ran after its cluster had lost the Job. `repeated`
   * means that an index ran again after its success in another cluster. `incomplete` means that the Job became
   * Complete with fewer successes than its spec asked for. `counted-twice` means that a spread Job counts more failed
   * pods than its members have had.
   */
  type: 'two-grants' | 'before-grant' | 'after-grant' | 'repeated' | 'incomplete' | 'counted-twice';
  /** `<home>/<namespace>/<name>`. */
  job: string;
  /** The index of the pod; null for a whole Job, and for a pod without an index. */
  index: number | null;
  clusters: string[];
  from: string;
  /** The end of the pod; null when no end was observed. */
  until: string | null;
  /** The pod, followed by the pods that ran for the Job, or for the index, in other clusters at the same time. */
  pods: string[];
  message: string;
}

/** The facts about placed Jobs that the ledger proves. Plain JSON. */
export interface PlacementProof {
  jobs: number;
  grants: number;
  /** The overlaps that cannot occur in a correct history. */
  findings: PlacementFinding[];
  /** Overlaps after a grant that was ended without a proof: by `MoveAfter`, or because a person declared the cluster lost. */
  mayHaveRunTwice: PlacementFinding[];
  /** Overlaps that are not longer than the tolerance. */
  withinTolerance: PlacementFinding[];
  /** Pods of ended grants whose end was not observed, so that the ledger does not prove when they ended. */
  unseen: PlacementFinding[];
  /** Members whose own stream has no event in the read records, so that the ledger does not show their pods. */
  missing: { job: string; cluster: string; member: string }[];
  /**
   * The least difference between the clock of each cluster and the clock of Jobledger, in seconds; positive when the
   * cluster's clock was ahead.
   */
  clocks: { cluster: string; seconds: number }[];
}
