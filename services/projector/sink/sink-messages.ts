import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import type { MessageType } from './message.ts';
import type { FoundOccurrence } from './recorded.ts';
import type { SinkKey } from './sink-positions.ts';

/** A message that a sink has not received yet: the record that it is about, and its type. */
export interface WaitingMessage {
  partition: number;
  offset: string;
  type: MessageType;
  cluster: string;
  namespace: string;
  /** The number of failed deliveries. */
  failureCount: number;
  /** True when later messages of the queue do not wait for this message. */
  isOutOfOrder: boolean;
  /** The time for which the message has waited, in milliseconds. */
  ageMs: number;
}

/**
 * Stores messages about these occurrences of a partition. Messages of Jobs that may turn out to be members are out of
 * order.
 */
export async function storeMessages(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, found }: { partition: number; found: readonly FoundOccurrence[] },
): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(({ offset, type, cluster, namespace, mayBeMember }) => ({
    offset,
    type,
    cluster,
    namespace,
    mayBeMember,
  }));
  await run(
    sql`insert into jobledger.sink_messages
        (sink, topic, partition, kafka_offset, type, cluster, namespace, out_of_order)
      select ${sink}, ${topic}, ${partition}, r."offset", r.type, r.cluster, r.namespace, r."mayBeMember"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r("offset" bigint, type text, cluster text, namespace text, "mayBeMember" boolean)
      on conflict do nothing`,
  );
}

/** The first message of a queue; `isDue` is true when the message must be delivered now. */
export type QueuedMessage = WaitingMessage & { isDue: boolean };

/** A place in the order of the queues. */
export type QueuePlace = Pick<WaitingMessage, 'cluster' | 'namespace' | 'partition' | 'isOutOfOrder'>;

/** The place before all queues. */
export const FIRST_PLACE: QueuePlace = { cluster: '', namespace: '', partition: -1, isOutOfOrder: false };

/** The place behind the queues of a namespace. */
export function placeBehind({ cluster, namespace }: QueuePlace): QueuePlace {
  return { cluster, namespace, partition: 2 ** 31 - 1, isOutOfOrder: true };
}

/**
 * The first messages of the next `most` queues behind a place. The messages about a namespace in a partition are a
 * queue. Messages out of order are another queue, whose first message is the one that is due first. The query finds
 * each queue by two steps in indexes, however many messages the queue has.
 */
export async function queuesBehind(
  run: Run,
  { sink, topic }: SinkKey,
  { place, most }: { place: QueuePlace; most: number },
): Promise<QueuedMessage[]> {
  return run<QueuedMessage>(
    sql`with recursive queues as (
        (select 1 as number, cluster, namespace, partition, out_of_order from jobledger.sink_messages
          where sink = ${sink} and topic = ${topic} and (cluster, namespace, partition, out_of_order)
              > (${place.cluster}, ${place.namespace}, ${place.partition}, ${place.isOutOfOrder})
          order by cluster, namespace, partition, out_of_order limit 1)
        union all
        select q.number + 1, n.* from queues q cross join lateral (
          select m.cluster, m.namespace, m.partition, m.out_of_order from jobledger.sink_messages m
          where m.sink = ${sink} and m.topic = ${topic}
            and (m.cluster, m.namespace, m.partition, m.out_of_order) > (q.cluster, q.namespace, q.partition, q.out_of_order)
          order by m.cluster, m.namespace, m.partition, m.out_of_order limit 1) n
        where q.number < ${most}
      )
      select f.partition, f.kafka_offset as offset, f.type, f.cluster, f.namespace, f.failure_count as "failureCount", f.out_of_order as "isOutOfOrder",
        (extract(epoch from now() - f.found_at) * 1000)::double precision as "ageMs", f.due_at <= now() as "isDue"
      from queues q cross join lateral (
        (select m.* from jobledger.sink_messages m
          where not q.out_of_order and m.sink = ${sink} and m.topic = ${topic}
            and m.cluster = q.cluster and m.namespace = q.namespace and m.partition = q.partition and not m.out_of_order
          order by m.kafka_offset, m.type desc limit 1)
        union all
        (select m.* from jobledger.sink_messages m
          where q.out_of_order and m.sink = ${sink} and m.topic = ${topic}
            and m.cluster = q.cluster and m.namespace = q.namespace and m.partition = q.partition and m.out_of_order
          order by m.due_at limit 1)) f
      order by q.number`,
  );
}

/**
 * Claims and returns the messages that are still due. No other process gets these messages for `claimMs` milliseconds.
 */
export async function claimMessages(
  run: Run,
  { sink, topic }: SinkKey,
  messages: readonly Pick<WaitingMessage, 'partition' | 'offset' | 'type'>[],
  claimMs: number,
): Promise<WaitingMessage[]> {
  const rows = messages.map(({ partition, offset, type }) => ({ partition, offset, type }));
  return run<WaitingMessage>(
    sql`with claimed as (
        select m.sink, m.topic, m.partition, m.kafka_offset, m.type from jobledger.sink_messages m
        join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(partition integer, "offset" bigint, type text)
          on m.partition = r.partition and m.kafka_offset = r."offset" and m.type = r.type
        where m.sink = ${sink} and m.topic = ${topic} and m.due_at <= now()
        for update of m skip locked
      )
      update jobledger.sink_messages m set due_at = now() + ${claimMs} * interval '1 millisecond'
      from claimed c
      where m.sink = c.sink and m.topic = c.topic and m.partition = c.partition
        and m.kafka_offset = c.kafka_offset and m.type = c.type
      returning m.partition, m.kafka_offset as offset, m.type, m.cluster, m.namespace, m.failure_count as "failureCount",
        m.out_of_order as "isOutOfOrder", (extract(epoch from now() - m.found_at) * 1000)::double precision as "ageMs"`,
  );
}

/** Claims the second message of a queue, whose first message is already claimed; null without such a message. */
export async function claimNext(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, offset, type, cluster, namespace }: WaitingMessage,
  claimMs: number,
): Promise<WaitingMessage | null> {
  const next = await run<Pick<WaitingMessage, 'partition' | 'offset' | 'type'>>(
    sql`select partition, kafka_offset as offset, type from jobledger.sink_messages
      where sink = ${sink} and topic = ${topic} and not out_of_order
        and partition = ${partition} and cluster = ${cluster} and namespace = ${namespace}
        and (kafka_offset, type) <> (${offset}, ${type})
      order by kafka_offset, type desc limit 1`,
  );
  const [claimed] = await claimMessages(run, { sink, topic }, next, claimMs);
  return claimed ?? null;
}

/** Allows processes to claim a claimed message again after `ms` milliseconds. */
export async function postponeMessage(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, offset, type, failureCount, isOutOfOrder, ms }: WaitingMessage & { ms: number },
): Promise<void> {
  await run(
    sql`update jobledger.sink_messages set failure_count = ${failureCount}, out_of_order = ${isOutOfOrder},
        due_at = now() + ${ms} * interval '1 millisecond'
      where sink = ${sink} and topic = ${topic} and partition = ${partition}
        and kafka_offset = ${offset} and type = ${type}`,
  );
}

/** Removes a message that was delivered or is left out. */
export async function removeMessage(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, offset, type }: WaitingMessage,
): Promise<void> {
  await run(
    sql`delete from jobledger.sink_messages
      where sink = ${sink} and topic = ${topic} and partition = ${partition}
        and kafka_offset = ${offset} and type = ${type}`,
  );
}
