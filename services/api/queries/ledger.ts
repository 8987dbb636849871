import type { JobEvent } from '../../../workflows/job/events.ts';
import type { StoredEvent } from '../../adapters/events/event-codec.ts';
import { sql, type Statement } from '../../adapters/postgres/statement.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { placeValues, visibleInOrOfAll } from '../../read-model/queries/visible.ts';
import type { Places } from '../../adapters/places.ts';
import type { PageCursor } from '../cursor.ts';
import { readWithinBytes, type Cut } from './within-bytes.ts';

interface JobKey {
  cluster: string;
  uid: string;
}

/** An event and its offset in its partition, which orders the events of a Job. */
type PlacedEvent = StoredEvent<JobEvent> & { kafka_offset: string };

/** The events of one Job after an offset. Reads one event beyond the limit, to show whether more follow. */
export function eventsOfJob(
  run: Run,
  { cluster, uid }: JobKey,
  filter: { types?: readonly string[] | undefined; since?: string | undefined; until?: string | undefined },
  after: string,
  limit: number,
): Promise<Cut<PlacedEvent>> {
  return readWithinBytes<PlacedEvent>(limit + 1, (last, count) =>
    run(sql`select kafka_offset, id, type, type_version, source, subject, time, digest, data, octet_length(data::text) as bytes
      from jobledger.events
      where cluster = ${cluster} and job_uid = ${uid} and kafka_offset > ${last?.kafka_offset ?? after}::bigint
        and (${filter.types ?? null}::text[] is null or type = any (${filter.types ?? null}))
        and (${filter.since ?? null}::timestamptz is null or time >= ${filter.since ?? null})
        and (${filter.until ?? null}::timestamptz is null or time < ${filter.until ?? null})
      order by kafka_offset limit ${count}`),
  );
}

/** The decisions of one Job after a cursor, each with its commands and their outcomes. */
export function decisionsOfJob({ cluster, uid }: JobKey, after: PageCursor | null, limit: number): Statement {
  const [number, recordedAt, id] = after ?? [null, null, null];
  return sql`select d.id, d.number, d.predecessor, d.first_run_id, d.now, d.recorded_at, d.core, d.next_decision_at,
      d.waiting_rule, d.waiting_message, d.broken, d.superseded,
      (select coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'rule', c.rule, 'message', c.message, 'pod_count', c.pod_count,
          'last_attempt', c.last_attempt, 'result', c.result, 'error', c.error,
          'outcome_at', to_char(c.outcome_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          order by c.command), '[]')
        from jobledger.commands c
        where c.cluster = d.cluster and c.job_uid = d.job_uid and c.decision = d.id) as commands
    from jobledger.decisions d
    where d.cluster = ${cluster} and d.job_uid = ${uid}
      and (${number}::integer is null or (d.number, d.recorded_at, d.id) > (${number}, ${recordedAt}::timestamptz, ${id}::text))
    order by d.number, d.recorded_at, d.id limit ${limit + 1}`;
}

/**
 * Gaps of the clusters and namespaces of the places, newest first, after a cursor. The gaps end after `since` and
 * begin before `until`.
 */
export function gapsPage(
  filter: { cluster?: string | undefined; since?: string | undefined; until?: string | undefined },
  after: PageCursor | null,
  limit: number,
  places: Places,
): Statement {
  const [gapTo, id] = after ?? [null, null];
  return {
    text: `select id, cluster, namespace, resource, since, until, reason, recorded_at from jobledger.gaps
      where ($1::text is null or cluster = $1) and ($2::timestamptz is null or until >= $2)
        and ($3::timestamptz is null or since <= $3)
        and ($4::timestamptz is null or (until, id) < ($4, $5::text)) and ${visibleInOrOfAll(6, 'gaps')}
      order by until desc, id desc limit $8`,
    values: [
      filter.cluster ?? null,
      filter.since ?? null,
      filter.until ?? null,
      gapTo,
      id,
      ...placeValues(places),
      limit + 1,
    ],
  };
}
