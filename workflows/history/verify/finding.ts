/** One thing that is not as the ledger says it was. */
export interface Finding {
  /**
   * `broken`: a record is changed or missing. `otherwise`: the core decides otherwise. `newer`: only a newer version of
   * Jobledger has the core that decided.
   */
  kind: 'broken' | 'otherwise' | 'newer';
  /** Id of the event that is wrong, or that names what is missing. */
  event: string;
  /** One line: what is wrong. */
  words: string;
  /** What surrounds it, a line each. */
  context: readonly string[];
}

/** What re-executing one stream gave. */
export interface Verification {
  /** Decisions met that were to be made again, superseded ones included. */
  decisions: number;
  /** Of these, how many were not made again: something that they rest on is not as it was, or their core is not here. */
  unchecked: number;
  findings: readonly Finding[];
}
