import type { Table } from './table.ts';

/** The ledger in SQL. */
export interface EventRow {
  id: string;
  type: string;
  source: string;
  subject: string;
  cluster: string;
  job_uid: string | null;
  namespace: string | null;
  job_name: string | null;
  resource_version: string | null;
  time: string;
  kafka_partition: number;
  kafka_offset: string;
  digest: string;
  /** The data, or its JSON text. */
  data: unknown;
}

export const EVENTS: Table<EventRow> = {
  name: 'events',
  key: ['id', 'time'],
  isAppendOnly: true,
  columns: {
    id: 'text',
    type: 'text',
    source: 'text',
    subject: 'text',
    cluster: 'text',
    job_uid: 'text',
    namespace: 'text',
    job_name: 'text',
    resource_version: 'numeric',
    time: 'timestamptz',
    kafka_partition: 'integer',
    kafka_offset: 'bigint',
    digest: 'text',
    data: 'jsonb',
  },
};

/** An event in the stream of a CronJob. */
export type CronJobEventRow = Omit<EventRow, 'job_uid' | 'job_name'> & {
  cron_job_uid: string;
  cron_job_name: string | null;
};

export const CRON_JOB_EVENTS: Table<CronJobEventRow> = {
  name: 'cron_job_events',
  key: ['cluster', 'cron_job_uid', 'id'],
  isAppendOnly: true,
  columns: {
    cluster: 'text',
    cron_job_uid: 'text',
    id: 'text',
    type: 'text',
    source: 'text',
    subject: 'text',
    namespace: 'text',
    cron_job_name: 'text',
    resource_version: 'numeric',
    time: 'timestamptz',
    kafka_partition: 'integer',
    kafka_offset: 'bigint',
    digest: 'text',
    data: 'jsonb',
  },
};

export interface EventIdRow {
  id: string;
  time: string;
}

export const EVENT_IDS: Table<EventIdRow> = {
  name: 'event_ids',
  key: ['id'],
  isAppendOnly: true,
  columns: { id: 'text', time: 'timestamptz' },
};

export interface DeadLetterRow {
  topic: string;
  partition: number;
  kafka_offset: string;
  key: string;
  reason: string;
  bytes: number;
  found_at: string;
}

export const DEAD_LETTERS: Table<DeadLetterRow> = {
  name: 'dead_letters',
  key: ['topic', 'partition', 'kafka_offset'],
  isAppendOnly: true,
  columns: {
    topic: 'text',
    partition: 'integer',
    kafka_offset: 'bigint',
    key: 'text',
    reason: 'text',
    bytes: 'integer',
    found_at: 'timestamptz',
  },
};
