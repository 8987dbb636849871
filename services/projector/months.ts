import type { Database, Run } from '../adapters/postgres/database.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { timestampOf as storedInstant } from './projections/instants.ts';

/**
 * Creates the monthly partitions of `events` for the given events, and caches which exist; `isAnew` clears the cache.
 * Months dropped by retention are not created again.
 */
export type EnsureMonths = (
  events: readonly Pick<JobEvent, 'id' | 'time'>[],
  isAnew?: boolean,
) => Promise<void>;

/** Advisory lock for creating and dropping partitions. */
const LOCK = 7_213_305_882;

export function createEnsureMonths(database: Database): EnsureMonths {
  const known = new Set<string>();
  return async (events, isAnew = false) => {
    if (isAnew) known.clear();
    const months = events.map(({ id, time }) => ({ id, month: monthOf(storedInstant(time) ?? time) }));
    const wanted = [...new Set(months.map(({ month }) => month))].filter((each) => !known.has(each));
    if (wanted.length === 0) return;
    const from = await eventsFrom(database.run);
    for (const month of wanted.filter((each) => from === null || each >= monthOf(from)).toSorted()) {
      const ids = months.filter((each) => each.month === month).map(({ id }) => id);
      // All events of the month were applied before, so they are repeats after the loss of a position: a month dropped
      // by hand stays dropped.
      if (await areApplied(database, ids)) continue;
      // Also creates the following month, so that its lock delays no one on the first day of that month.
      for (const each of [month, monthAfter(month)])
        if (each < AFTER_THE_LAST) await createMonth(database, each);
      known.add(month);
    }
  };
}

/** `events` has no earlier events; null when no month was dropped. */
export async function eventsFrom(run: Run): Promise<string | null> {
  const [found] = await run<{ from: string | null }>(
    sql`select events_from as from from jobledger.retention`,
  );
  return found?.from ?? null;
}

async function areApplied(database: Database, ids: readonly string[]): Promise<boolean> {
  const distinct = [...new Set(ids)];
  const rows = await database.run<{ known: number }>(
    sql`select count(*)::int as known from jobledger.event_ids where id = any(${distinct})`,
  );
  return rows[0]?.known === distinct.length;
}

/** First day of an instant's month, in UTC. */
export function monthOf(timestampOf: string): string {
  const utc = timestampOf.endsWith('Z') ? timestampOf : new Date(timestampOf).toISOString();
  return `${utc.slice(0, 'YYYY-MM-'.length)}01`;
}

/** Later than every event; sorts after every month. */
const AFTER_THE_LAST = 'after 9999-12';

export function monthAfter(month: string): string {
  if (month === '9999-12-01') return AFTER_THE_LAST;
  const date = new Date(month);
  date.setUTCMonth(date.getUTCMonth() + 1);
  return monthOf(date.toISOString());
}

/**
 * Drops the partitions of `events` for all months before this one, with the events of CronJobs, and returns these months. The other tables keep
 * their rows, and `event_ids` keeps the ids.
 */
export function dropMonthsBefore(database: Database, month: string): Promise<string[]> {
  return database.transaction(async (run) => {
    await run(sql`select pg_advisory_xact_lock(${LOCK})`);
    // Gives up instead of blocking other statements behind a long read.
    await run(sql`set local lock_timeout = '5s'`);
    // Updated before the partitions are dropped, so that a projector that lags behind does not create them again.
    await run(
      sql`update jobledger.retention set events_from = greatest(events_from, ${`${month}T00:00:00Z`})`,
    );
    const dropped = [...(await monthsIn(run))].filter((each) => each < month).toSorted();
    for (const each of dropped) await run({ text: `drop table jobledger.${partitionOf(each)}`, values: [] });
    await run(sql`delete from jobledger.cron_job_events where time < ${`${month}T00:00:00Z`}`);
    return dropped;
  });
}

function partitionOf(month: string): string {
  return `events_${month.slice(0, -'-DD'.length).replaceAll('-', '_')}`;
}

/** First days of the months that have a partition in `events`. */
export async function monthsIn(run: Run): Promise<Set<string>> {
  const rows = await run<{ name: string }>(
    sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'jobledger.events'::regclass`,
  );
  return new Set(rows.map(({ name }) => `${name.slice('events_'.length).replace('_', '-')}-01`));
}

async function createMonth(database: Database, month: string): Promise<void> {
  const name = partitionOf(month);
  await database.transaction(async (run) => {
    await run(sql`select pg_advisory_xact_lock(${LOCK})`);
    const there = await run(sql`select from pg_class where oid = to_regclass(${`jobledger.${name}`})`);
    if (there.length > 0) return;
    await run({
      text: `create table jobledger.${name} partition of jobledger.events for values from ('${month}T00:00:00Z') to (${endOf(month)})`,
      values: [],
    });
    await run({
      text: `comment on table jobledger.${name} is 'Events of the month that begins on ${month}, UTC.'`,
      values: [],
    });
  });
}

function endOf(month: string): string {
  const next = monthAfter(month);
  return next === AFTER_THE_LAST ? 'maxvalue' : `'${next}T00:00:00Z'`;
}
