import type { ChainState } from '../../../workflows/job/state.ts';
import type { Table } from './table.ts';

/** A condition of a chain; `since` is RFC 3339. */
export interface ChainCondition {
  job: string;
  uid: string | null;
  end: string;
  standing: string;
  since: string | null;
}

/** What one Job waits for; the migrations describe the columns. */
export interface ChainRow {
  cluster: string;
  job_uid: string;
  namespace: string;
  job_name: string;
  state: 'waiting' | 'resumed' | 'deleted';
  resumed_at: string | null;
  conditions: ChainCondition[];
  cycle: string | null;
  awaited: ChainState['awaited'];
}

export const CHAINS: Table<ChainRow> = {
  name: 'chains',
  key: ['cluster', 'job_uid'],
  columns: {
    cluster: 'text',
    job_uid: 'text',
    namespace: 'text',
    job_name: 'text',
    state: 'text',
    resumed_at: 'timestamptz',
    conditions: 'jsonb',
    cycle: 'text',
    awaited: 'jsonb',
  },
};
