/** How the rows of a table or view are divided into months. The texts are SQL expressions about the row `r`. */
export interface ExportedTable {
  /** The instant that determines the month of a row, which is never null. */
  month: string;
  /** The instant from which a row stays as it is; null as long as the row may change. */
  unchangedFrom: string;
  /** True when `admin retention --before` removes the rows of whole months. */
  isOfEvents?: true;
}

const OF_JOB = 'from jobledger.jobs where jobs.cluster = r.cluster and jobs.uid = r.job_uid';
const OF_CRON_JOB =
  'from jobledger.cron_jobs where cron_jobs.cluster = r.cluster and cron_jobs.uid = r.cron_job_uid';
const CREATED = 'coalesce(r.created_at, r.first_seen_at)';
/** A row without its Job or its time is in the first month that Jobledger stores. */
const JOB_CREATED = `coalesce((select coalesce(jobs.created_at, jobs.first_seen_at) ${OF_JOB}), 'epoch')`;
/** Rows about a Job may change until the Job is deleted. */
const JOB_DELETED = `(select jobs.deleted_at ${OF_JOB})`;
const CRON_JOB_DELETED = `(select cron_jobs.deleted_at ${OF_CRON_JOB})`;

/** Rows that any change of teams or prices may change. */
const NEVER = 'null::timestamptz';

/** The table whose rows have no month: each export replaces its file. */
export const CLUSTERS = 'clusters';

/** The tables and views of the schema that have a row for each fact about a cluster, in the order of their export. */
export const EXPORTED: Readonly<Record<string, ExportedTable>> = {
  jobs: { month: CREATED, unchangedFrom: 'r.deleted_at' },
  job_statuses: recordedAt('seen_at'),
  pods: { month: CREATED, unchangedFrom: JOB_DELETED },
  creations: { month: 'r.decided_at', unchangedFrom: JOB_DELETED },
  conditions: recordedAt('seen_at'),
  decisions: { month: 'r.now', unchangedFrom: JOB_DELETED },
  commands: { month: 'r.decided_at', unchangedFrom: JOB_DELETED },
  chains: { month: JOB_CREATED, unchangedFrom: JOB_DELETED },
  placements: { month: 'r.given_at', unchangedFrom: JOB_DELETED },
  api_requests: recordedAt('recorded_at'),
  kubernetes_events: recordedAt('recorded_at'),
  dropped_kubernetes_events: recordedAt('until'),
  node_versions: recordedAt('since'),
  gaps: recordedAt('recorded_at'),
  cron_jobs: { month: CREATED, unchangedFrom: 'r.deleted_at' },
  cron_job_versions: recordedAt('seen_at'),
  cron_job_starts: {
    month: `coalesce(r.decided_at, r.scheduled_at, 'epoch')`,
    unchangedFrom: CRON_JOB_DELETED,
  },
  cron_job_events: { ...recordedAt('time'), isOfEvents: true },
  events: { ...recordedAt('time'), isOfEvents: true },
  job_phases: { month: JOB_CREATED, unchangedFrom: JOB_DELETED },
  job_chains: { month: JOB_CREATED, unchangedFrom: JOB_DELETED },
  granted_indexes: { month: `coalesce(r.since, 'epoch')`, unchangedFrom: JOB_DELETED },
  outcomes: { ...recordedAt('recorded_at'), isOfEvents: true },
  who: { month: `coalesce(r.at, 'epoch')`, unchangedFrom: JOB_DELETED, isOfEvents: true },
  cron_job_runs: {
    month: `coalesce(r.scheduled_at, 'epoch')`,
    // The view shows the end of the Job of the start.
    unchangedFrom: `case when r.job_uid is null or r.deleted_at is not null then greatest(r.deleted_at, ${CRON_JOB_DELETED}) end`,
  },
  cron_runs: { month: 'r.scheduled_at', unchangedFrom: NEVER },
  cron_job_decisions: { ...recordedAt('recorded_at'), isOfEvents: true },
  applied_prices: recordedAt('applied_at'),
  attempts: { month: `coalesce(r.created_at, r.held_from, 'epoch')`, unchangedFrom: NEVER },
  usage_hourly: { month: 'r.hour', unchangedFrom: NEVER },
  obstacles: { month: 'r.first_at', unchangedFrom: JOB_DELETED },
  job_runs: { month: `coalesce(r.created_at, 'epoch')`, unchangedFrom: 'r.deleted_at' },
};

/**
 * The tables and views that are not exported: those about the projector and its deliveries (the manifest has the positions
 * and the horizon), and those that count until now.
 */
export const NOT_EXPORTED = [
  'attempt_hours',
  'attempt_periods',
  'cluster_watches',
  'ended_usage',
  'missed_starts',
  'missed_starts_counted',
  'namespace_teams',
  'nodes',
  'prices',
  'stale_usage',
  'unwatched_hours',
  'waiting_now',
  'waste',
  'dead_letters',
  'event_ids',
  'migrations',
  'positions',
  'retention',
  'sink_messages',
  'sink_positions',
];

/** A table whose rows never change, with the column that has the time of their record. */
function recordedAt(column: string): ExportedTable {
  return { month: `r.${column}`, unchangedFrom: `'-infinity'::timestamptz` };
}
