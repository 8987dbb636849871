import { PLACED_FOR, PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { failureCause } from '../../read-model/situation/pod-causes.ts';
import type { FailedAttempt, MessageType, RecordedEnd, RecordedOccurrence } from './message.ts';
import type { SinkSpan } from './sink-positions.ts';

/** An occurrence; `mayBeMember` is true when its Job may turn out to be the member of a placed Job. */
export type FoundOccurrence = RecordedOccurrence & { mayBeMember: boolean };

/** The occurrences in all records of a span before `end`, which is exclusive. */
export interface FoundOccurrences {
  found: FoundOccurrence[];
  end: bigint;
}

/** The most occurrences that are read in one step. A record shows at most three occurrences. */
const MOST = 20;

/** The first occurrences in a span, in the order of the ledger. */
export async function readOccurrences(
  run: Run,
  span: SinkSpan,
  types: readonly MessageType[],
): Promise<FoundOccurrences> {
  const rows = await occurrenceRows(run, span, types);
  // The last record may have shown further occurrences.
  const end = rows.length < MOST ? span.to : BigInt(rows.at(-1)?.offset ?? span.to);
  return { found: rows.filter(({ offset }) => BigInt(offset) < end).flatMap(toOccurrences), end };
}

/** The columns of every type of message; columns of other types are null. */
interface Row extends Omit<RecordedEnd, 'type'> {
  type: MessageType;
  pod: string;
  podUid: string;
  podCluster: string;
  index: number | null;
  exitCode: number | null;
  podReason: string | null;
  podMessage: string | null;
  endMessage: string;
  podFinishedAt: string | null;
  mayBeMember: boolean;
}

/** The occurrence in a row; empty for a pod that ended without a failure, such as a pod that Jobledger deleted. */
function toOccurrences(row: Row): FoundOccurrence[] {
  const { offset, eventId, seenAt, cluster, namespace, name, uid, labels, startedAt, mayBeMember } = row;
  const ofJob = { offset, eventId, seenAt, cluster, namespace, name, uid, labels, startedAt, mayBeMember };
  switch (row.type) {
    case 'started':
      return [{ ...ofJob, type: 'started' }];
    case 'attempt-failed': {
      const attempt = toFailedAttempt(row);
      return attempt === null ? [] : [{ ...ofJob, type: 'attempt-failed', attempt }];
    }
    case 'ended': {
      const { condition, reason, message, finishedAt, succeeded, failed } = row;
      return [{ ...ofJob, type: 'ended', condition, reason, message, finishedAt, succeeded, failed }];
    }
  }
}

function toFailedAttempt(row: Row): FailedAttempt | null {
  const { podCluster, pod, podUid, index, exitCode, podReason, podMessage, endMessage, podFinishedAt } = row;
  if (failureCause({ end_message: endMessage, message: podMessage }) === null) return null;
  return {
    cluster: podCluster,
    pod,
    uid: podUid,
    index,
    exitCode,
    reason: podReason,
    message: podMessage,
    why: endMessage,
    finishedAt: podFinishedAt,
  };
}

/**
 * The rows of the starts, ends and failed attempts of a run that the sinks want. Messages contain no start and no end
 * of a member, because the start and the end of its placed Job count. A failed attempt of the member is a failed
 * attempt of the placed Job. Only a recorded outcome shows that a Job is a member, in a stream that may be applied
 * later; until then, a Job whose annotation names a placed Job may be a member.
 */
function occurrenceRows(
  run: Run,
  { partition, from, to }: SinkSpan,
  types: readonly MessageType[],
): Promise<Row[]> {
  const includes = (type: MessageType): boolean => types.includes(type);
  const [first, after] = [from.toString(), to.toString()];
  return run<Row>(
    sql`with shown as (
        (select e.kafka_offset, e.id, e.time, e.cluster, e.job_uid, e.namespace, e.job_name, 'started' as type,
          e.data -> 'object' -> 'metadata' -> 'annotations' ->> ${PLACED_FOR} as mark,
          s.started_at, null as condition, null as reason, null as message, null::timestamptz as finished_at,
          null as pod
        from jobledger.events e
        join jobledger.job_statuses s on s.cluster = e.cluster and s.uid = e.job_uid
          and s.resource_version = e.resource_version and not s.deleted and s.event_id = e.id
        where ${includes('started')} and e.kafka_partition = ${partition}
          and e.kafka_offset >= ${first} and e.kafka_offset < ${after} and e.type = 'job.observed'
          and s.started_at is not null
          and not exists (select from jobledger.job_statuses b where b.cluster = s.cluster and b.uid = s.uid
            and b.resource_version < s.resource_version and b.started_at is not null)
          and not exists (select from jobledger.placements p
            where p.placed_in = e.cluster and p.member_uid = e.job_uid)
        order by e.kafka_offset limit ${MOST})
      union all
        (select e.kafka_offset, e.id, e.time, e.cluster, e.job_uid, e.namespace, e.job_name, 'ended',
          e.data -> 'object' -> 'metadata' -> 'annotations' ->> ${PLACED_FOR},
          null, c.type, c.reason, c.message, c.last_transition_time, null
        from jobledger.events e
        join jobledger.conditions c on c.cluster = e.cluster and c.job_uid = e.job_uid and c.event_id = e.id
          and c.type in ('Complete', 'Failed') and c.status = 'True'
        where ${includes('ended')} and e.kafka_partition = ${partition}
          and e.kafka_offset >= ${first} and e.kafka_offset < ${after} and e.type = 'job.observed'
          and not exists (select from jobledger.placements p
            where p.placed_in = e.cluster and p.member_uid = e.job_uid)
        order by e.kafka_offset limit ${MOST})
      union all
        (select e.kafka_offset, e.id, e.time, e.cluster, e.job_uid, e.namespace, e.job_name, 'attempt-failed',
          (select o.data -> 'object' -> 'metadata' -> 'annotations' ->> ${PLACED_FOR} from jobledger.events o
            where o.id = (select s.event_id from jobledger.job_statuses s
              where s.cluster = e.cluster and s.uid = e.job_uid order by s.resource_version desc, s.deleted limit 1)),
          null, null, null, null, null, p.uid
        from jobledger.events e
        join jobledger.pods p on p.cluster = e.cluster and p.job_uid = e.job_uid and p.end_event_id = e.id
        where ${includes('attempt-failed')} and e.kafka_partition = ${partition}
          and e.kafka_offset >= ${first} and e.kafka_offset < ${after}
          and e.type in ('pod.observed', 'pod.deleted')
          and p.uid <> e.job_uid and p.end_message is not null and p.phase is distinct from 'Succeeded'
        order by e.kafka_offset limit ${MOST})
      )
      select e.kafka_offset as offset, e.id as "eventId", e.time as "seenAt", e.type,
        coalesce(m.cluster, e.cluster) as cluster, coalesce(m.namespace, e.namespace, j.namespace) as namespace,
        coalesce(m.job_name, e.job_name, j.name) as name, coalesce(m.job_uid, e.job_uid) as uid,
        coalesce(j.labels, '{}') as labels, coalesce(e.started_at, j.started_at) as "startedAt", e.condition, e.reason, e.message,
        e.finished_at as "finishedAt", j.succeeded, j.failed, p.name as pod, p.uid as "podUid",
        e.cluster as "podCluster", p.completion_index as index, p.exit_code as "exitCode", p.reason as "podReason",
        p.message as "podMessage", p.end_message as "endMessage", p.finished_at as "podFinishedAt",
        m.cluster is null and claim.home is not null
          and not exists (select from jobledger.jobs h
            where h.cluster = claim.home and h.uid = claim.uid
              and (h.managed_by is distinct from ${PLACEMENT_MANAGER} or h.finished_at is not null))
          and not exists (select from jobledger.placements p
            where p.cluster = claim.home and p.job_uid = claim.uid and p.placed_in = e.cluster
              and p.member_name = e.job_name and p.member_uid is not null) as "mayBeMember"
      from shown e
      left join lateral (select cluster, job_uid, namespace, job_name from jobledger.placements p
        where p.placed_in = e.cluster and p.member_uid = e.job_uid limit 1) m on true
      left join jobledger.jobs j on j.cluster = coalesce(m.cluster, e.cluster) and j.uid = coalesce(m.job_uid, e.job_uid)
      left join jobledger.pods p on p.cluster = e.cluster and p.job_uid = e.job_uid and p.uid = e.pod
      cross join lateral (select split_part(e.mark, '/', 1) as home, split_part(e.mark, '/', 4) as uid) claim
      -- A Job that was first seen ended has started before it ended.
      order by e.kafka_offset, e.type desc limit ${MOST}`,
  );
}
