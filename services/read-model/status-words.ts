/**
 * Values of `status` of a Job in the tables: one word, as kubectl shows it; `Unknown` before the Job is observed, `Deleted` when it was deleted
 * before it ended.
 */
export const STATUS_WORDS = [
  'Unknown',
  'Running',
  'Suspended',
  'FailureTarget',
  'SuccessCriteriaMet',
  'Terminating',
  'Complete',
  'Failed',
  'Deleted',
] as const;

export type StatusWord = (typeof STATUS_WORDS)[number];

/**
 * Values of `state` of a Job in the tables, in a user's words. `External`: no controller of ours controls the Job. `Deleted`: it
 * was deleted before it ended.
 */
export const STATE_WORDS = [
  'Pending',
  'Running',
  'Retrying',
  'Suspended',
  'Succeeded',
  'Failed',
  'External',
  'Deleted',
] as const;

export type StateWord = (typeof STATE_WORDS)[number];
