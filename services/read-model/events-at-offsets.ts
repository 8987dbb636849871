import { sql, type Statement } from '../adapters/postgres/statement.ts';

export interface EventAtOffset {
  id: string;
  type: string;
  subject: string;
  time: string;
  digest: string;
  offset: string;
}

/**
 * The events at these offsets of a partition when they were applied: from the first offset, up to but not including the
 * last.
 */
export function eventsAtOffsets(partition: number, from: string, to: string): Statement {
  return sql`select id, type, subject, time, digest, kafka_offset::text as "offset" from jobledger.events
    where kafka_partition = ${partition} and kafka_offset >= ${from}::bigint and kafka_offset < ${to}::bigint
    order by kafka_offset`;
}
