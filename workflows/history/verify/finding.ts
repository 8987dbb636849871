/** One thing that is not as the ledger says it was. */
export interface Finding {
  /** `broken`: a record is changed or missing. `otherwise`: the core would now decide otherwise. */
  kind: 'broken' | 'otherwise';
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
  /** Of these, how many rest on something that is not as it was, so that nothing can be said of them. */
  unchecked: number;
  findings: readonly Finding[];
}
