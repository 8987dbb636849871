/**
 * The values of `kubectl_status` of a Job in the tables: one word, as kubectl shows it. `Unknown` means that the Job
 * was not observed yet, and `Deleted` that it was deleted before its end.
 */
export const KUBECTL_STATUSES = [
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

export type KubectlStatus = (typeof KUBECTL_STATUSES)[number];

/**
 * The values of `status` of a Job in the tables, which is the status for users. `External` means that Jobledger does
 * not control the Job, and `Deleted` that the Job was deleted before its end.
 */
export const STATUSES = [
  'Pending',
  'Running',
  'Retrying',
  'Suspended',
  'Succeeded',
  'Failed',
  'External',
  'Deleted',
] as const;

export type Status = (typeof STATUSES)[number];
