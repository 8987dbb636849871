import type { FleetColumn } from '../../address/page-address.ts';

/** The titles of the optional columns in the list of Jobs. */
export const COLUMN_TITLES: Record<FleetColumn, string> = {
  cluster: 'Cluster',
  progress: 'Progress',
  reason: 'Reason for the end or the wait',
  started: 'Started',
  duration: 'Duration',
  owner: 'Owner',
};
