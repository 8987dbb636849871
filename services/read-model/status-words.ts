/** Values of `status` of a Job in the tables: one word, as kubectl shows it; `Unknown` before the Job is observed. */
export const STATUS_WORDS = [
  'Unknown',
  'Running',
  'Suspended',
  'FailureTarget',
  'SuccessCriteriaMet',
  'Terminating',
  'Complete',
  'Failed',
] as const;

export type StatusWord = (typeof STATUS_WORDS)[number];
