/** An error found in the ledger. */
export interface Finding {
  /**
   * `broken` means that a record is changed or missing. `different` means that the core makes a different decision.
   * `newer` means that only a newer version of Jobledger has the core that decided. `wrong` means that no correct
   * decision leads to the observed pods.
   */
  type: 'broken' | 'different' | 'newer' | 'wrong';
  /** The id of the event that is wrong or missing. */
  event: string;
  /** The error in one line. */
  message: string;
  /** Details, a line each. */
  context: readonly string[];
}

/** The result of verifying one stream. */
export interface Verification {
  /** The number of decisions to make again, including superseded ones. */
  decisions: number;
  /**
   * The number of decisions that were not made again, because their facts are changed or missing, or their core is
   * unknown.
   */
  unchecked: number;
  findings: readonly Finding[];
}
