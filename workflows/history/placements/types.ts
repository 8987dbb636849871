/**
 * How much the clock of a node may differ from that of its API server, and those of Jobledger's processes from each other, in
 * milliseconds. A shorter overlap proves nothing.
 */
export const CLOCK_TOLERANCE_MS = 10_000;

/** Work of a placed Job in a cluster that had no right to do it then. Plain JSON; instants are RFC 3339 UTC. */
export interface PlacementFinding {
  /**
   * `two-grants`: a cluster got the Job while another had it. `before-grant`, `after-grant`: a pod ran before its cluster got the
   * Job, or after it had lost it. `repeated`: an index ran again after its success in another cluster. `incomplete`: the Job became Complete
   * with fewer successes than it asked for. `counted-twice`: a spread Job counts more failed pods than its members have had.
   */
  type: 'two-grants' | 'before-grant' | 'after-grant' | 'repeated' | 'incomplete' | 'counted-twice';
  /** `<home>/<namespace>/<name>`. */
  job: string;
  /** Null for a whole Job, and for a pod without an index. */
  index: number | null;
  clusters: string[];
  from: string;
  /** Null: its end was not seen. */
  until: string | null;
  /** The pod, then those that ran for the Job, or for the index, in other clusters at the same time. */
  pods: string[];
  message: string;
}

/** What the ledger proves about placed Jobs. Plain JSON. */
export interface PlacementProof {
  jobs: number;
  grants: number;
  /** No correct history has them. */
  findings: PlacementFinding[];
  /** Overlaps after a grant that was ended without a proof: by `MoveAfter`, or because a person declared the cluster lost. */
  mayHaveRunTwice: PlacementFinding[];
  /** Overlaps that are not longer than the tolerance. */
  withinTolerance: PlacementFinding[];
  /** Pods of ended grants whose end nobody saw: the ledger does not prove when they ended. */
  unseen: PlacementFinding[];
  /** Members without any event of their own stream in what was read: of what they ran, nothing is known. */
  missing: { job: string; cluster: string; member: string }[];
  /** By cluster: how far at least its clock was from Jobledger's, in seconds; positive when it was ahead. */
  clocks: { cluster: string; seconds: number }[];
}
