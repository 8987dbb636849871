import type { Table } from './table.ts';

export interface ClusterRow {
  name: string;
  uid: string | null;
  version: string | null;
  first_connected_at: string | null;
  last_connected_at: string | null;
  gaps: number;
  last_gap_from: string | null;
  last_gap_to: string | null;
}

export const CLUSTERS: Table<ClusterRow> = {
  name: 'clusters',
  key: ['name'],
  columns: {
    name: 'text',
    uid: 'text',
    version: 'text',
    first_connected_at: 'timestamptz',
    last_connected_at: 'timestamptz',
    gaps: 'integer',
    last_gap_from: 'timestamptz',
    last_gap_to: 'timestamptz',
  },
};

/** A period in which events of a cluster may have been missed. */
export interface GapRow {
  id: string;
  cluster: string;
  namespace: string | null;
  resource: string;
  gap_from: string;
  gap_to: string;
  reason: string;
  recorded_at: string;
}

export const GAPS: Table<GapRow> = {
  name: 'gaps',
  key: ['id'],
  isAppendOnly: true,
  columns: {
    id: 'text',
    cluster: 'text',
    namespace: 'text',
    resource: 'text',
    gap_from: 'timestamptz',
    gap_to: 'timestamptz',
    reason: 'text',
    recorded_at: 'timestamptz',
  },
};
