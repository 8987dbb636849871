/** An error found in the ledger. */
export interface Finding {
  /**
   * `broken`: a record is changed or missing. `different`: the core decides differently. `newer`: only a newer version of
   * Jobledger has the core that decided. `violated`: the facts show what must never happen.
   */
  type: 'broken' | 'different' | 'newer' | 'violated';
  /** Id of the event that is wrong or missing. */
  event: string;
  /** What is wrong, in one line. */
  words: string;
  /** Details, a line each. */
  context: readonly string[];
}

/** The result of verifying one stream. */
export interface Verification {
  /** Decisions to make again, superseded ones included. */
  decisions: number;
  /** How many of them were not made again, because their facts are changed or missing, or their core is unknown. */
  unchecked: number;
  findings: readonly Finding[];
}
