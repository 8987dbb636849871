import { z } from 'zod';
import {
  bigint,
  instant,
  integer,
  jsonColumn,
  numeric,
  nullable,
  defineTable,
  text,
  type RowOf,
} from './table.ts';

/** The columns that all tables of events have; an event of a stream also has its object's columns. */
const EVENT_COLUMNS = {
  id: text,
  type: text,
  type_version: integer,
  source: text,
  subject: text,
  cluster: text,
  namespace: nullable(text),
  resource_version: nullable(numeric),
  time: instant,
  kafka_partition: integer,
  kafka_offset: bigint,
  digest: text,
  /** The data, or its JSON text. */
  data: jsonColumn(z.unknown()),
} as const;

/** The ledger in SQL: the events of Jobs and clusters. */
export const EVENTS = defineTable({
  name: 'events',
  key: ['id', 'time'],
  isAppendOnly: true,
  columns: { ...EVENT_COLUMNS, job_uid: nullable(text), job_name: nullable(text) },
});
export type EventRow = RowOf<typeof EVENTS>;

/** The events in the streams of CronJobs. */
export const CRON_JOB_EVENTS = defineTable({
  name: 'cron_job_events',
  key: ['cluster', 'cron_job_uid', 'id'],
  isAppendOnly: true,
  columns: { ...EVENT_COLUMNS, cron_job_uid: text, cron_job_name: nullable(text) },
});
export type CronJobEventRow = RowOf<typeof CRON_JOB_EVENTS>;

/** The time when each event was recorded, which determines its month. */
export const EVENT_IDS = defineTable({
  name: 'event_ids',
  key: ['id'],
  isAppendOnly: true,
  columns: {
    id: text,
    time: instant,
  },
});

/** Records that could not be projected. */
export const DEAD_LETTERS = defineTable({
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
