import { z } from 'zod';
import { bigint, instant, integer, json, numeric, orNull, table, text, type RowOf } from './table.ts';

/** The columns that all tables of events have; an event of a stream also has its object's columns. */
const EVENT_COLUMNS = {
  id: text,
  type: text,
  type_version: integer,
  source: text,
  subject: text,
  cluster: text,
  namespace: orNull(text),
  resource_version: orNull(numeric),
  time: instant,
  kafka_partition: integer,
  kafka_offset: bigint,
  digest: text,
  /** The data, or its JSON text. */
  data: json(z.unknown()),
} as const;

/** The ledger in SQL: the events of Jobs and clusters. */
export const EVENTS = table({
  name: 'events',
  key: ['id', 'time'],
  isAppendOnly: true,
  columns: { ...EVENT_COLUMNS, job_uid: orNull(text), job_name: orNull(text) },
});
export type EventRow = RowOf<typeof EVENTS>;

/** The events in the streams of CronJobs. */
export const CRON_JOB_EVENTS = table({
  name: 'cron_job_events',
  key: ['cluster', 'cron_job_uid', 'id'],
  isAppendOnly: true,
  columns: { ...EVENT_COLUMNS, cron_job_uid: text, cron_job_name: orNull(text) },
});
export type CronJobEventRow = RowOf<typeof CRON_JOB_EVENTS>;

/** When each event was recorded, which determines its month. */
export const EVENT_IDS = table({
  name: 'event_ids',
  key: ['id'],
  isAppendOnly: true,
  columns: {
    id: text,
    time: instant,
  },
});

/** Records that could not be projected. */
export const DEAD_LETTERS = table({
  name: 'dead_letters',
  key: ['topic', 'partition', 'kafka_offset'],
  isAppendOnly: true,
  columns: {
    topic: text,
    partition: integer,
    kafka_offset: bigint,
    key: text,
    reason: text,
    bytes: integer,
    found_at: instant,
  },
});
