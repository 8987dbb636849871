/** The input of a step of any kind. */
export interface StepInput<D, S, T> {
  decider: D;
  /** The state with every fact that has arrived. */
  state: S;
  now: number;
  settings: T;
}

/** The result of a step of any kind. */
export interface StepResult<S, D> {
  /** The state with the decision, if the step made one. */
  state: S;
  /**
   * The instant at which time alone changes the result, in milliseconds since 1970; null when time alone never
   * changes it.
   */
  nextDecisionAt: number | null;
  /** The value is null when the verdict is not recorded (`isNewsBy`). */
  decision: D | null;
}
