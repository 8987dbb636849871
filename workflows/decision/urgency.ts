/**
 * The urgency of a fact for a run (J-3.2). `soon` facts are sent at once after a pause, and otherwise in batches;
 * `later` facts are sent in a batch; `none` facts are sent together with the next fact that the run needs.
 */
export type Urgency = 'now' | 'soon' | 'later' | 'none';
