/**
 * The possible difference of the clock of a node from that of its API server, and between Jobledger's processes, in
 * milliseconds. A shorter overlap proves nothing.
 */
export const CLOCK_TOLERANCE_MS = 10_000;

/** Work of a placed Job in a cluster that had no right to do this work at the time. Plain JSON; instants are RFC 3339 UTC. */
export interface PlacementFinding {
  /**
   * `two-grants` means that a cluster got the Job while another cluster had it. `before-grant` and `after-grant` mean
   * that a pod ran before its cluster got the Job, or after it had lost it. `repeated`: an index ran again after its
   * success in another cluster. `incomplete`: the Job became Complete with fewer successes than it asked for.
   * `counted-twice`: a spread Job counts more failed pods than its members have had.
   */
  type: 'two-grants' | 'before-grant' | 'after-grant' | 'repeated' | 'incomplete' | 'counted-twice';
  /** `<home>/<namespace>/<name>`. */
  job: string;
  /** The index of the pod; null for a whole Job, and for a pod without an index. */
  index: number | null;
  clusters: string[];
  from: string;
  /** The end of the pod; null when no end was seen. */
  until: string | null;
  /** The pod, then the pods that ran for the Job, or for the index, in other clusters at the same time. */
  pods: string[];
  message: string;
}

/** The facts about placed Jobs that the ledger proves. Plain JSON. */
export interface PlacementProof {
  jobs: number;
  grants: number;
  /** The overlaps that no correct history has. */
  findings: PlacementFinding[];
  /** Overlaps after a grant that was ended without a proof: by `MoveAfter`, or because a person declared the cluster lost. */
  mayHaveRunTwice: PlacementFinding[];
  /** Overlaps that are not longer than the tolerance. */
  withinTolerance: PlacementFinding[];
  /** Pods of ended grants whose end was not observed, so that the ledger does not prove when they ended. */
  unseen: PlacementFinding[];
  /** Members without any event of their own stream in the read records, so that nothing is known of their pods. */
  missing: { job: string; cluster: string; member: string }[];
  /** The least difference of the clock of each cluster from Jobledger's, in seconds; positive when the cluster's clock was ahead. */
  clocks: { cluster: string; seconds: number }[];
}
