/**
 * The state right after a decision that is not superseded, so that a recall need not fold the stream from its
 * beginning. The snapshot proves nothing: `verify` compares it with the fold.
 */
export interface SnapshotContent<S> {
  /** The id and the number of the decision. */
  decision: string;
  number: number;
  /** Only a core with this format of the state can use the snapshot (state-format.ts). */
  stateFormat: string;
  state: S;
  /** The id of the last event that was read for the object. */
  until: string;
  /** The ids of the earlier events that are not folded into the state, in order. */
  unfolded: string[];
}
