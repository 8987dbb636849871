import type { CronJobEvent } from '../../../workflows/cron-job/events.ts';
import type { Places } from '../../adapters/places.ts';
import type { StoredEvent } from '../../adapters/events/event-codec.ts';
import { sql, type Statement } from '../../adapters/postgres/statement.ts';
import { columnsIn } from '../../read-model/views/view.ts';
import { CRON_JOB_RUN_VIEW, CRON_JOB_VIEW } from '../../read-model/views/cron-jobs.ts';
import { placeValues, visibleIn } from '../../read-model/queries/visible.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import type { PageCursor } from '../cursor.ts';
import { readWithinBytes, type Cut } from './within-bytes.ts';

interface CronJobsFilter {
  cluster?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  /** Includes deleted CronJobs. */
  deleted: boolean;
}

interface CronJobKey {
  cluster: string;
  uid: string;
}

/** An event and its offset in its partition, which orders the events of a CronJob. */
type PlacedCronJobEvent = StoredEvent<CronJobEvent> & { kafka_offset: string };

/** A page of CronJobs after a cursor. Selects one row beyond the limit, to show whether more follow. */
export function cronJobsPage(
  filter: CronJobsFilter,
  after: PageCursor | null,
  limit: number,
  places: Places,
): Statement {
  return {
    text: `select ${columnsIn(CRON_JOB_VIEW)} from jobledger.cron_jobs
      where ($1::text is null or cluster = $1) and ($2::text is null or namespace = $2)
        and ($3::text is null or name = $3) and ($4 or deleted_at is null)
        and ($5::text is null or (cluster, namespace, name, uid) > ($5, $6::text, $7::text, $8::text))
        and ${visibleIn(10, 'cron_jobs')}
      order by cluster, namespace, name, uid limit $9`,
    values: [
      filter.cluster ?? null,
      filter.namespace ?? null,
      filter.name ?? null,
      filter.deleted,
      ...(after ?? [null, null, null, null]),
      limit + 1,
      ...placeValues(places),
    ],
  };
}

/** The starts of a CronJob before a cursor, the latest first. */
export function startsOfCronJob(
  { cluster, uid }: CronJobKey,
  after: PageCursor | null,
  limit: number,
): Statement {
  const [scheduledAt = null] = after ?? [];
  return {
    text: `select ${columnsIn(CRON_JOB_RUN_VIEW)} from jobledger.cron_job_runs
      where cluster = $1 and cron_job_uid = $2 and ($3::timestamptz is null or scheduled_at < $3)
      order by scheduled_at desc limit $4`,
    values: [cluster, uid, scheduledAt, limit + 1],
  };
}

/** The latest decisions, in which skipped starts are searched. */
const DECISIONS = 1000;

/**
 * The times at which no Job was created, the latest first: each with the reason of the latest decision about this time.
 * The result does not include the start for which the CronJob still waits.
 */
export function selectSkippedStarts({ cluster, uid }: CronJobKey): Statement {
  return sql`select distinct on (scheduled_at) scheduled_at, rule, message
    from (
      select substring(waiting ->> 'message' from '^the start of (\\S+Z) ')::timestamptz as scheduled_at,
        waiting ->> 'rule' as rule, waiting ->> 'message' as message, kafka_offset
      from (
        select data -> 'waiting' as waiting, kafka_offset from jobledger.cron_job_events
        where cluster = ${cluster} and cron_job_uid = ${uid} and type = 'cronjob.decided'
        order by kafka_offset desc limit ${DECISIONS}
      ) decided
      where waiting ->> 'rule' in ('J-9.34', 'J-9.36', 'J-9.38')
    ) waited
    where scheduled_at is not null
      and not exists (select from jobledger.cron_job_starts starts
        where starts.cluster = ${cluster} and starts.cron_job_uid = ${uid} and starts.scheduled_at = waited.scheduled_at)
      and not exists (select from jobledger.cron_jobs present
        where present.cluster = ${cluster} and present.uid = ${uid} and waited.rule = 'J-9.36'
          and present.deleted_at is null and present.waiting_message = waited.message)
    order by scheduled_at desc, kafka_offset desc`;
}

/** The events of a CronJob after an offset. Reads one event beyond the limit, to show whether more follow. */
export function eventsOfCronJob(
  run: Run,
  { cluster, uid }: CronJobKey,
  after: string,
  limit: number,
): Promise<Cut<PlacedCronJobEvent>> {
  return readWithinBytes<PlacedCronJobEvent>(limit + 1, (last, count) =>
    run(sql`select kafka_offset, id, type, type_version, source, subject, time, digest, data, octet_length(data::text) as bytes
      from jobledger.cron_job_events
      where cluster = ${cluster} and cron_job_uid = ${uid} and kafka_offset > ${last?.kafka_offset ?? after}::bigint
      order by kafka_offset limit ${count}`),
  );
}
