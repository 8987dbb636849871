/** The properties by which Jobs are counted in groups. */
export const GROUPINGS = [
  'cluster',
  'namespace',
  'status',
  'kubectl_status',
  'reason',
  'owner',
  'waiting',
  'failure',
] as const;

export type Grouping = (typeof GROUPINGS)[number];

/**
 * The orders of a list of Jobs; a minus sign reverses an order. Jobs with the same value are ordered by cluster and
 * uid.
 */
export const JOBS_ORDERS = ['-created', 'created', '-finished', 'finished', '-name', 'name'] as const;

export type JobsOrder = (typeof JOBS_ORDERS)[number];
