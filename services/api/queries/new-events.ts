import type { JobEvent } from '../../../workflows/job/events.ts';
import type { StoredEvent } from '../../adapters/events/event-codec.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import type { Places } from '../../adapters/places.ts';
import { placeValues, visibleIn } from '../../read-model/queries/visible.ts';
import type { Span } from '../stream/positions.ts';

export interface EventFilter {
  cluster?: string | undefined;
  namespace?: string | undefined;
  job?: string | undefined;
  uid?: string | undefined;
  types?: readonly string[] | undefined;
  /** Skips events of other places. */
  places: Places;
}

/** An event and its position in the ledger. */
export type PositionedRow = StoredEvent<JobEvent> & { kafka_partition: number; kafka_offset: string };

/** An event without its data: its id, its position in the ledger, and its time. */
export type EventPlace = Pick<PositionedRow, 'id' | 'kafka_partition' | 'kafka_offset' | 'time'>;

/**
 * The events at the given positions, in the same order, and the bytes of their data. A row without an id stands for an
 * event that does not exist any more.
 */
export function eventsAt(places: readonly EventPlace[]): Statement {
  return {
    text: `select place.partition as kafka_partition, place.kafka_offset, e.id, e.type, e.type_version, e.source, e.subject, e.time, e.digest,
        e.data, coalesce(octet_length(e.data::text), 0) as bytes
      from unnest($1::integer[], $2::bigint[], $3::text[]) with ordinality as place (partition, kafka_offset, id, number)
      left join jobledger.events e
        on e.kafka_partition = place.partition and e.kafka_offset = place.kafka_offset and e.id = place.id
      order by place.number`,
    values: [
      places.map(({ kafka_partition: partition }) => partition),
      places.map(({ kafka_offset: offset }) => offset),
      places.map(({ id }) => id),
    ],
  };
}

/** The positions of the first matching events of each span, in partition order. */
export function placesIn(spans: readonly Span[], filter: EventFilter, limit: number): Statement {
  const { cluster = null, namespace = null, job = null, uid = null, types = null, places } = filter;
  return {
    text: `select found.* from unnest($1::integer[], $2::bigint[], $3::bigint[]) as span (partition, first, beyond)
      cross join lateral (
        select id, kafka_partition, kafka_offset, time from jobledger.events e
        where e.kafka_partition = span.partition and e.kafka_offset >= span.first and e.kafka_offset < span.beyond
          and ($4::text is null or e.cluster = $4) and ($5::text is null or e.namespace = $5)
          and ($6::text is null or e.job_name = $6) and ($7::text is null or e.job_uid = $7)
          and ($8::text[] is null or e.type = any ($8)) and ${visibleIn(10, 'e')}
        order by e.kafka_offset limit $9
      ) found
      order by found.kafka_partition, found.kafka_offset`,
    values: [
      spans.map(({ partition }) => partition),
      spans.map(({ first }) => first.toString()),
      spans.map(({ beyond }) => beyond.toString()),
      cluster,
      namespace,
      job,
      uid,
      types,
      limit,
      ...placeValues(places),
    ],
  };
}
