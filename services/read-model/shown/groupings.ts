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
