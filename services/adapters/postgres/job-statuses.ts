/** What `status` of a Job can be in the tables: one word, as kubectl shows it. */
export const JOB_STATUSES = [
  'Running',
  'Suspended',
  'FailureTarget',
  'SuccessCriteriaMet',
  'Terminating',
  'Complete',
  'Failed',
] as const;

export type JobStatusWord = (typeof JOB_STATUSES)[number];
