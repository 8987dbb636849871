/** What `status` of a Job can be in the tables: one word, as kubectl shows it; `Unknown` before it is observed. */
export const JOB_STATUSES = [
  'Unknown',
  'Running',
  'Suspended',
  'FailureTarget',
  'SuccessCriteriaMet',
  'Terminating',
  'Complete',
  'Failed',
] as const;

export type JobStatusWord = (typeof JOB_STATUSES)[number];
