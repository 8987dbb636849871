import type { JobEvent } from '../../../workflows/job/events.ts';
import { sql, type Statement } from '../../adapters/postgres/statement.ts';
import type { Span } from '../stream/positions.ts';

export interface EventFilter {
  cluster?: string | undefined;
  namespace?: string | undefined;
  job?: string | undefined;
  uid?: string | undefined;
  types?: readonly string[] | undefined;
}

/** An event and its position in the ledger. */
export type PositionedRow = JobEvent & { kafka_partition: number; kafka_offset: string };

/** The first matching events of each span, in partition order. */
export function eventsIn(spans: readonly Span[], filter: EventFilter, limit: number): Statement {
  const { cluster = null, namespace = null, job = null, uid = null, types = null } = filter;
  return sql`select found.* from unnest(
      ${spans.map(({ partition }) => partition)}::integer[],
      ${spans.map(({ first }) => first.toString())}::bigint[],
      ${spans.map(({ beyond }) => beyond.toString())}::bigint[]) as span (partition, first, beyond)
    cross join lateral (
      select kafka_partition, kafka_offset, id, type, source, subject, time, digest, data
      from jobledger.events e
      where e.kafka_partition = span.partition and e.kafka_offset >= span.first and e.kafka_offset < span.beyond
        and (${cluster}::text is null or e.cluster = ${cluster})
        and (${namespace}::text is null or e.namespace = ${namespace})
        and (${job}::text is null or e.job_name = ${job})
        and (${uid}::text is null or e.job_uid = ${uid})
        and (${types}::text[] is null or e.type = any (${types}))
      order by e.kafka_offset limit ${limit}
    ) found
    order by found.kafka_partition, found.kafka_offset`;
}
