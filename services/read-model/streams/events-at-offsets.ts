import { sql, type Statement } from '../../adapters/postgres/statement.ts';

export interface EventAtOffset {
  id: string;
  type: string;
  subject: string;
  time: string;
  digest: string;
  offset: string;
}

/**
 * The applied events of a partition from the offset `from` up to, but not including, the offset `to`.
 */
export function eventsAtOffsets(partition: number, from: string, to: string): Statement {
  return sql`select id, type, subject, time, digest, kafka_offset::text as "offset" from jobledger.events
    where kafka_partition = ${partition} and kafka_offset >= ${from}::bigint and kafka_offset < ${to}::bigint
    order by kafka_offset`;
}
