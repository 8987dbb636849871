import { z } from 'zod';
import type { ChainState } from '../../../workflows/job/state.ts';
import {
  instant,
  jsonColumn,
  enumColumn,
  nullable,
  shortText,
  defineTable,
  text,
  type RowOf,
} from './table.ts';

/** A condition of a chain; `since` is RFC 3339. */
export interface ChainCondition {
  job: string;
  uid: string | null;
  end: string;
  status: string;
  since: string | null;
}

/** The Jobs that one Job waits for; the migrations describe the columns. */
export const CHAINS = defineTable({
  name: 'chains',
  key: ['cluster', 'job_uid'],
  columns: {
    cluster: shortText,
    job_uid: shortText,
    namespace: text,
    job_name: text,
    status: enumColumn(['waiting', 'resumed', 'deleted']),
    resumed_at: nullable(instant),
    conditions: jsonColumn(z.custom<ChainCondition[]>()),
    cycle: nullable(text),
    awaited: jsonColumn(z.custom<ChainState['awaited']>()),
  },
});
export type ChainRow = RowOf<typeof CHAINS>;
