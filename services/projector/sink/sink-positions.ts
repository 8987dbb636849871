import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { PLACED_FOR, PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import type { RecordedEnd } from './job-ended.ts';

/** Identifies the positions of a sink. */
export interface SinkKey {
  sink: string;
  topic: string;
}

/** A partition of the ledger with records that were applied to the tables, but not yet searched for the sink. */
export interface SinkSpan {
  partition: number;
  /** Inclusive. */
  from: bigint;
  /** Exclusive. */
  to: bigint;
}

/** A new sink begins with the ends from now on. */
export async function beginAtEnds(run: Run, { sink, topic }: SinkKey): Promise<void> {
  await run(
    sql`insert into jobledger.sink_positions (sink, topic, partition, next_offset)
      select ${sink}, topic, partition, next_offset from jobledger.positions where topic = ${topic}
      on conflict do nothing`,
  );
}

/** The partitions in which the sink is behind. */
export async function partitionsBehind(run: Run, { sink, topic }: SinkKey): Promise<number[]> {
  const rows = await run<{ partition: number }>(
    sql`select s.partition from jobledger.sink_positions s
      join jobledger.positions p on p.topic = s.topic and p.partition = s.partition
      where s.sink = ${sink} and s.topic = ${topic} and s.next_offset < p.next_offset
      order by s.partition`,
  );
  return rows.map(({ partition }) => partition);
}

/**
 * Locks a partition for the sink until the transaction ends; null when another process has it, or no record is left.
 */
export async function lockedSpan(
  run: Run,
  { sink, topic }: SinkKey,
  partition: number,
): Promise<SinkSpan | null> {
  const [row] = await run<{ from: string; to: string }>(
    sql`select s.next_offset as from, p.next_offset as to from jobledger.sink_positions s
      join jobledger.positions p on p.topic = s.topic and p.partition = s.partition
      where s.sink = ${sink} and s.topic = ${topic} and s.partition = ${partition}
        and s.next_offset < p.next_offset
      for update of s skip locked`,
  );
  return row === undefined ? null : { partition, from: BigInt(row.from), to: BigInt(row.to) };
}

/** Moves the sink forward. `isDelivered`: an end was delivered, not only searched for. */
export async function moveSink(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, next, isDelivered }: { partition: number; next: bigint; isDelivered: boolean },
): Promise<void> {
  await run(
    sql`update jobledger.sink_positions set next_offset = ${next.toString()},
        delivered_at = case when ${isDelivered} then now() else delivered_at end
      where sink = ${sink} and topic = ${topic} and partition = ${partition}`,
  );
}

/** An end, and whether its Job may turn out to be the member of a placed Job. */
export type FoundEnd = RecordedEnd & { mayBeMember: boolean };

/**
 * The first ends of Jobs in a span, in the order of the ledger, without those of members of placed Jobs. Only a recorded outcome says
 * which Job is a member, in a stream that may be applied later; a Job that claims to be one may be, until its alleged home tells.
 */
export function recordedEnds(
  run: Run,
  { partition, from, to }: SinkSpan,
  limit: number,
): Promise<FoundEnd[]> {
  return run<FoundEnd>(
    sql`select e.kafka_offset as offset, e.id as "eventId", c.cluster, c.namespace, c.job_name as name, c.job_uid as uid,
        c.type as condition, c.reason, c.message, c.seen_at as "seenAt", j.started_at as "startedAt",
        c.last_transition_time as "finishedAt", j.succeeded, j.failed,
        claim.home is not null
          and not exists (select from jobledger.jobs h
            where h.cluster = claim.home and h.uid = claim.uid
              and (h.managed_by is distinct from ${PLACEMENT_MANAGER} or h.finished_at is not null))
          and not exists (select from jobledger.placements p
            where p.cluster = claim.home and p.job_uid = claim.uid and p.placed_in = c.cluster
              and p.member_name = c.job_name and p.member_uid is not null) as "mayBeMember"
      from jobledger.events e
      join jobledger.conditions c on c.cluster = e.cluster and c.job_uid = e.job_uid and c.event_id = e.id
        and c.type in ('Complete', 'Failed') and c.status = 'True'
      left join jobledger.jobs j on j.cluster = c.cluster and j.uid = c.job_uid
      cross join lateral (
        select split_part(mark, '/', 1) as home, split_part(mark, '/', 4) as uid
        from (select e.data -> 'object' -> 'metadata' -> 'annotations' ->> ${PLACED_FOR} as mark) marked
      ) claim
      where e.kafka_partition = ${partition} and e.kafka_offset >= ${from.toString()}
        and e.kafka_offset < ${to.toString()} and e.type = 'job.observed'
        and not exists (select from jobledger.placements p
          where p.placed_in = c.cluster and p.member_uid = c.job_uid)
      order by e.kafka_offset limit ${limit}`,
  );
}
