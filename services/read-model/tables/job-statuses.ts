import { boolean, instant, pickColumns, defineTable, text, type RowOf } from './table.ts';
import { JOBS } from './jobs.ts';

/** The status of a Job at one resourceVersion. */
export const JOB_STATUSES = defineTable({
  name: 'job_statuses',
  key: ['cluster', 'uid', 'resource_version', 'deleted'],
  isAppendOnly: true,
  columns: {
    ...pickColumns(
      JOBS.columns,
      'cluster',
      'uid',
      'namespace',
      'name',
      'kubectl_status',
      'suspend',
      'parallelism',
      'completions',
    ),
    ...pickColumns(
      JOBS.columns,
      'active',
      'ready',
      'terminating',
      'succeeded',
      'failed',
      'completed_indexes',
    ),
    ...pickColumns(
      JOBS.columns,
      'failed_indexes',
      'started_at',
      'completed_at',
      'conditions',
      'resource_version',
    ),
    seen_at: instant,
    event_id: text,
    deleted: boolean,
  },
});
export type JobStatusRow = RowOf<typeof JOB_STATUSES>;
