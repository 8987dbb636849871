import type { Database, Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { dueTimes, type CronJobVersion, type SchedulePeriod } from './due-times.ts';

const DAY_MS = 86_400_000;

/** The number of CronJobs whose times are computed at once. */
const AT_ONCE = 200;

/** The most missed starts of a CronJob that are stored for a day in UTC, so that the rows of a tenant are bounded. */
export const MOST_A_DAY = 100;

/** The number of the advisory lock of this work. The number is arbitrary; no other program uses it. */
const LOCK = 7_213_305_886;

/**
 * Stores the missed starts of the CronJobs of a cluster up to an instant, in milliseconds: the times of their schedules
 * for which no Job exists. Continues where the last call ended, with a transaction for each day. A call while another
 * process counts does nothing.
 */
export async function countMissedStarts(
  { transaction }: Pick<Database, 'transaction'>,
  { cluster, until, signal }: { cluster: string; until: number; signal?: AbortSignal },
): Promise<void> {
  for (;;) {
    if (signal?.aborted === true) return;
    const isDone = await transaction(async (run) => {
      const [found] = await run<{ locked: boolean }>(
        sql`select pg_try_advisory_xact_lock(${LOCK}) as locked`,
      );
      if (found?.locked !== true) return true;
      const from = await countedUntil(run, cluster);
      if (from === null || from >= until) return true;
      const endOfDay = (Math.floor(from / DAY_MS) + 1) * DAY_MS;
      const period = { from, until: Math.min(endOfDay, until) };
      await countPeriod(run, cluster, period);
      await run(
        sql`delete from jobledger.missed_starts where cluster = ${cluster} and scheduled_at < jobledger.horizon()`,
      );
      await run(
        sql`insert into jobledger.missed_starts_counted (cluster, counted_until)
            values (${cluster}, ${instant(period.until)})
            on conflict (cluster) do update set counted_until = excluded.counted_until`,
      );
      return period.until === until;
    });
    if (isDone) return;
  }
}

/**
 * Leaves out the time up to an instant, in milliseconds, for the clusters whose CronJobs are not observed: for detached
 * clusters, and where the ingester may not read CronJobs.
 */
export async function skipUnobserved(run: Run, until: number): Promise<void> {
  await run(
    sql`update jobledger.missed_starts_counted counted set counted_until = ${instant(until)}
        from jobledger.clusters c
        where c.name = counted.cluster and counted.counted_until < ${instant(until)}
          and (c.detached_at is not null or c.not_recorded ? 'cronjobs')`,
  );
}

/**
 * The instant up to which missed starts are stored; at first the first observation of a CronJob, or the horizon, before
 * which Jobs were removed. Null without CronJobs.
 */
async function countedUntil(run: Run, cluster: string): Promise<number | null> {
  const [row] = await run<{ from_ms: number | null }>(
    sql`select extract(epoch from coalesce(
          (select counted_until from jobledger.missed_starts_counted where cluster = ${cluster}),
          (select greatest(min(first_seen_at), jobledger.horizon()) from jobledger.cron_jobs where cluster = ${cluster})
        ))::float8 * 1000 as from_ms`,
  );
  return row?.from_ms ?? null;
}

async function countPeriod(run: Run, cluster: string, period: SchedulePeriod): Promise<void> {
  for (let after = ''; ;) {
    const versions = await readVersions(run, cluster, period, after);
    const times = [...Map.groupBy(versions, ({ uid }) => uid)].flatMap(([uid, ofCronJob]) =>
      dueTimes(ofCronJob, period).map((time) => ({ uid, time })),
    );
    if (times.length > 0) await storeMissed(run, cluster, times);
    const last = versions.at(-1)?.page_end;
    if (last === undefined) return;
    after = last;
  }
}

interface VersionRow extends CronJobVersion {
  uid: string;
  /** The last UID of the page. */
  page_end: string;
}

/**
 * The versions of some CronJobs that determine the times of a period, in order: of each CronJob the version at the
 * beginning and the later ones. The CronJobs come after the UID `after`.
 */
function readVersions(
  run: Run,
  cluster: string,
  { from, until }: SchedulePeriod,
  after: string,
): Promise<VersionRow[]> {
  return run<VersionRow>(
    sql`with page as materialized (
          select c.uid from jobledger.cron_jobs c
          where c.cluster = ${cluster} and c.uid > ${after} and c.first_seen_at < ${instant(until)}
            and (c.deleted_at is null or c.deleted_at > ${instant(from)})
          order by c.uid limit ${AT_ONCE}
        )
        select page.uid, (select max(uid) from page) as page_end, v.schedule, v.time_zone as "timeZone", v.suspend, v.deleted,
          extract(epoch from v.seen_at)::float8 * 1000 as since
        from page
        cross join lateral (
          (select * from jobledger.cron_job_versions v
            where v.cluster = ${cluster} and v.uid = page.uid and v.seen_at <= ${instant(from)}
            order by v.resource_version desc, v.deleted desc limit 1)
          union all
          (select * from jobledger.cron_job_versions v
            where v.cluster = ${cluster} and v.uid = page.uid and v.seen_at > ${instant(from)} and v.seen_at < ${instant(until)})
        ) v
        order by page.uid, v.seen_at, v.resource_version, v.deleted`,
  );
}

/** Stores the times for which no Job of the CronJob exists, the earliest of a day if there are too many. */
async function storeMissed(
  run: Run,
  cluster: string,
  times: readonly { uid: string; time: number }[],
): Promise<void> {
  const [uids, instants] = [times.map(({ uid }) => uid), times.map(({ time }) => instant(time))];
  await run(
    sql`insert into jobledger.missed_starts (cluster, cron_job_uid, namespace, cron_job_name, scheduled_at)
        select c.cluster, c.uid, c.namespace, c.name, missed.scheduled_at
        from (
          select due.uid, due.scheduled_at, row_number() over (
            partition by due.uid, date_trunc('day', due.scheduled_at, 'UTC') order by due.scheduled_at
          ) as number
          from unnest(${uids}::text[], ${instants}::timestamptz[]) as due(uid, scheduled_at)
          join jobledger.cron_jobs c on c.cluster = ${cluster} and c.uid = due.uid
          where due.scheduled_at > coalesce(c.created_at, c.first_seen_at)
            and not exists (select from jobledger.jobs j where j.cluster = c.cluster and j.namespace = c.namespace
              and j.owner_name = c.name and j.scheduled_at = due.scheduled_at)
        ) missed
        join jobledger.cron_jobs c on c.cluster = ${cluster} and c.uid = missed.uid
        where missed.number + (
          select count(*) from jobledger.missed_starts stored
          where stored.cluster = c.cluster and stored.cron_job_uid = c.uid
            and stored.scheduled_at >= date_trunc('day', missed.scheduled_at, 'UTC')
            and stored.scheduled_at < missed.scheduled_at
        ) <= ${MOST_A_DAY}
        on conflict do nothing`,
  );
}

function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
