import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import type { JobMoment } from './message.ts';
import type { FoundMoment } from './recorded.ts';
import type { SinkKey } from './sink-positions.ts';

/** A message that a sink has not received yet: the record and the moment of which it tells. */
export interface WaitingMessage {
  partition: number;
  offset: string;
  moment: JobMoment;
  cluster: string;
  namespace: string;
  /** Deliveries that failed. */
  failures: number;
  /** Later messages of its queue do not wait for it. */
  isAside: boolean;
  /** How long it has waited, in milliseconds. */
  ageMs: number;
}

/** Stores messages about these moments of a partition. Those of Jobs that may turn out to be members wait aside. */
export async function storeMessages(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, found }: { partition: number; found: readonly FoundMoment[] },
): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(({ offset, moment, cluster, namespace, mayBeMember }) => ({
    offset,
    moment,
    cluster,
    namespace,
    mayBeMember,
  }));
  await run(
    sql`insert into jobledger.sink_messages
        (sink, topic, partition, kafka_offset, moment, cluster, namespace, is_aside)
      select ${sink}, ${topic}, ${partition}, r."offset", r.moment, r.cluster, r.namespace, r."mayBeMember"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r("offset" bigint, moment text, cluster text, namespace text, "mayBeMember" boolean)
      on conflict do nothing`,
  );
}

interface Claim {
  /** How long no other process gets the messages, in milliseconds. */
  claimMs: number;
  /** Whether to claim messages that failed before, or those that did not. */
  hasFailed: boolean;
  most: number;
  /** Namespaces, as `<cluster>/<namespace>`, whose messages are not wanted now. */
  except: readonly string[];
}

/**
 * Claims messages that are due, at most one of each namespace. The messages about a namespace in a
 * partition are a queue: only the first one is due, and those aside on their own. Each queue is found by one step in an index, however many
 * messages it has.
 */
export async function claimMessages(
  run: Run,
  { sink, topic }: SinkKey,
  { claimMs, hasFailed, most, except }: Claim,
): Promise<WaitingMessage[]> {
  return run<WaitingMessage>(
    sql`with recursive queues as (
        (select is_aside, partition, cluster, namespace from jobledger.sink_messages
          where sink = ${sink} and topic = ${topic}
          order by is_aside, partition, cluster, namespace limit 1)
        union all
        select n.* from queues q cross join lateral (
          select m.is_aside, m.partition, m.cluster, m.namespace from jobledger.sink_messages m
          where m.sink = ${sink} and m.topic = ${topic}
            and (m.is_aside, m.partition, m.cluster, m.namespace) > (q.is_aside, q.partition, q.cluster, q.namespace)
          order by m.is_aside, m.partition, m.cluster, m.namespace limit 1) n
      ),
      first as (
        select f.* from queues q cross join lateral (
          select m.* from jobledger.sink_messages m
          where m.sink = ${sink} and m.topic = ${topic} and not m.is_aside
            and m.partition = q.partition and m.cluster = q.cluster and m.namespace = q.namespace
          order by m.kafka_offset, m.moment desc limit 1) f
        where not q.is_aside
        union all
        select f.* from queues q cross join lateral (
          select m.* from jobledger.sink_messages m
          where m.sink = ${sink} and m.topic = ${topic} and m.is_aside
            and m.partition = q.partition and m.cluster = q.cluster and m.namespace = q.namespace
          order by m.due_at limit 1) f
        where q.is_aside
      ),
      due as (
        select distinct on (cluster, namespace) sink, topic, partition, kafka_offset, moment, due_at from first
        where due_at <= now() and (failures > 0) = ${hasFailed}
          and cluster || '/' || namespace <> all(${[...except]}::text[])
        order by cluster, namespace, due_at
      ),
      claimed as (
        select m.sink, m.topic, m.partition, m.kafka_offset, m.moment from jobledger.sink_messages m
        join due using (sink, topic, partition, kafka_offset, moment)
        where m.due_at <= now()
        order by due.due_at limit ${most}
        for update of m skip locked
      )
      update jobledger.sink_messages m set due_at = now() + ${claimMs} * interval '1 millisecond'
      from claimed c
      where m.sink = c.sink and m.topic = c.topic and m.partition = c.partition
        and m.kafka_offset = c.kafka_offset and m.moment = c.moment
      returning m.partition, m.kafka_offset as offset, m.moment, m.cluster, m.namespace, m.failures,
        m.is_aside as "isAside", (extract(epoch from now() - m.found_at) * 1000)::double precision as "ageMs"`,
  );
}

/** Claims the message behind the first one of a queue, which is claimed; null when there is none. */
export async function claimNext(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, offset, moment, cluster, namespace }: WaitingMessage,
  claimMs: number,
): Promise<WaitingMessage | null> {
  const [next] = await run<WaitingMessage>(
    sql`update jobledger.sink_messages m set due_at = now() + ${claimMs} * interval '1 millisecond'
      from (select kafka_offset, moment from jobledger.sink_messages
        where sink = ${sink} and topic = ${topic} and not is_aside
          and partition = ${partition} and cluster = ${cluster} and namespace = ${namespace}
          and (kafka_offset, moment) <> (${offset}, ${moment})
        order by kafka_offset, moment desc limit 1 for update) n
      where m.sink = ${sink} and m.topic = ${topic} and m.partition = ${partition}
        and m.kafka_offset = n.kafka_offset and m.moment = n.moment
      returning m.partition, m.kafka_offset as offset, m.moment, m.cluster, m.namespace, m.failures,
        m.is_aside as "isAside", (extract(epoch from now() - m.found_at) * 1000)::double precision as "ageMs"`,
  );
  return next ?? null;
}

/** Lets a claimed message be claimed again after `ms` milliseconds. */
export async function postponeMessage(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, offset, moment, failures, isAside, ms }: WaitingMessage & { ms: number },
): Promise<void> {
  await run(
    sql`update jobledger.sink_messages set failures = ${failures}, is_aside = ${isAside},
        due_at = now() + ${ms} * interval '1 millisecond'
      where sink = ${sink} and topic = ${topic} and partition = ${partition}
        and kafka_offset = ${offset} and moment = ${moment}`,
  );
}

/** Removes a message, which was delivered or is not to be delivered. */
export async function removeMessage(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, offset, moment, isDelivered }: WaitingMessage & { isDelivered: boolean },
): Promise<void> {
  await run(
    sql`with removed as (
        delete from jobledger.sink_messages
        where sink = ${sink} and topic = ${topic} and partition = ${partition}
          and kafka_offset = ${offset} and moment = ${moment}
      )
      update jobledger.sink_positions set delivered_at = now()
      where ${isDelivered} and sink = ${sink} and topic = ${topic} and partition = ${partition}`,
  );
}
