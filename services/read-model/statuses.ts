/**
 * Values of `kubectl_status` of a Job in the tables: one word, as kubectl shows it; `Unknown` before the Job is observed, `Deleted` when it was deleted
 * before it ended.
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
 * Values of `status` of a Job in the tables, in a user's terms. `External` means that no controller of ours runs the
 * Job. `Deleted`: it was deleted before it ended.
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
