import { UnavailableError } from '../adapters/errors.ts';
import type { Database, Run } from '../adapters/postgres/database.ts';
import { RefusedStatementError } from '../adapters/postgres/failures.ts';
import type { Log } from '../adapters/process/log.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { sql, type Statement } from '../adapters/postgres/statement.ts';
import { toTimestamp as storedInstant } from './projections/instants.ts';

/**
 * Creates the monthly partitions of `events` for the given events, and remembers the existing partitions; `isAnew`
 * clears this memory. Months that retention has dropped are not created again.
 */
export type EnsureMonths = (
  events: readonly Pick<JobEvent, 'id' | 'time'>[],
  isAnew?: boolean,
) => Promise<void>;

/** The number of the advisory lock for the creation and removal of partitions. */
const LOCK = 7_213_305_882;

/** The time after which the creation of a month that no event needs yet is tried again, in milliseconds. */
const AGAIN_MS = 60_000;

interface EnsureOptions {
  log?: Pick<Log, 'warn'>;
  /** Default: 60 s. */
  againMs?: number;
}

/**
 * @throws UnavailableError, which names the holders of the lock, when a month that an event needs cannot be created
 * now.
 */
export function createEnsureMonths(
  database: Database,
  { log, againMs = AGAIN_MS }: EnsureOptions = {},
): EnsureMonths {
  const known = new Set<string>();
  /**
   * The following months, with the time at which each month is created. The months are created ahead of time, so that a
   * lock delays no event.
   */
  const ahead = new Map<string, number>();
  const createDueMonths = async (): Promise<void> => {
    for (const [month] of [...ahead].filter(([, at]) => at <= performance.now()))
      try {
        await createMonth(database, month);
        ahead.delete(month);
      } catch (error) {
        if (!(error instanceof LockedError)) throw error;
        ahead.set(month, performance.now() + againMs);
        log?.warn(
          { error: error.message },
          'the events of a coming month have no partition yet; trying again',
        );
      }
  };
  return async (events, isAnew = false) => {
    if (isAnew) known.clear();
    const months = events.map(({ id, time }) => ({ id, month: monthStart(storedInstant(time) ?? time) }));
    const wanted = [...new Set(months.map(({ month }) => month))].filter((each) => !known.has(each));
    const from = wanted.length === 0 ? null : await readEventsFrom(database.run);
    for (const month of wanted.filter((each) => from === null || each >= monthStart(from)).toSorted()) {
      const ids = months.filter((each) => each.month === month).map(({ id }) => id);
      // If all events of the month were applied before, they are repeats after the loss of a position, and a month that
      // a user has dropped is not created again.
      if (await areEventsApplied(database, ids)) continue;
      await createMonth(database, month);
      const next = monthAfter(month);
      if (next < AFTER_THE_LAST) ahead.set(next, 0);
      known.add(month);
    }
    if (ahead.size > 0) await createDueMonths();
  };
}

/** The time before which `events` has no events; null when no month was dropped. */
export async function readEventsFrom(run: Run): Promise<string | null> {
  const [found] = await run<{ from: string | null }>(
    sql`select events_from as from from jobledger.retention`,
  );
  return found?.from ?? null;
}

async function areEventsApplied(database: Database, ids: readonly string[]): Promise<boolean> {
  const distinct = [...new Set(ids)];
  const rows = await database.run<{ known: number }>(
    sql`select count(*)::int as known from jobledger.event_ids where id = any(${distinct})`,
  );
  return rows[0]?.known === distinct.length;
}

/** The first day of an instant's month, in UTC. */
export function monthStart(timestamp: string): string {
  const utc = timestamp.endsWith('Z') ? timestamp : new Date(timestamp).toISOString();
  return `${utc.slice(0, 'YYYY-MM-'.length)}01`;
}

/** The month after the last possible month, which sorts after every month. */
const AFTER_THE_LAST = 'after 9999-12';

export function monthAfter(month: string): string {
  if (month === '9999-12-01') return AFTER_THE_LAST;
  const date = new Date(month);
  date.setUTCMonth(date.getUTCMonth() + 1);
  return monthStart(date.toISOString());
}

/**
 * Drops the partitions of `events` for all months before `month` and the events of CronJobs in these months, and
 * returns the months. The other tables keep their rows, and `event_ids` keeps the ids.
 */
export function dropMonthsBefore(database: Database, month: string): Promise<string[]> {
  const change = { failure: `the months of jobledger.events before ${month} cannot be dropped`, beside: [] };
  return changePartitions(database, change, async (run) => {
    // The retention is updated before the partitions are dropped, so that a projector that lags behind does not create
    // them again.
    await run(
      sql`update jobledger.retention set events_from = greatest(events_from, ${`${month}T00:00:00Z`})`,
    );
    const dropped = [...(await listMonths(run))].filter((each) => each < month).toSorted();
    for (const each of dropped)
      await run({ text: `drop table jobledger.${partitionName(each)}`, values: [] });
    await run(sql`delete from jobledger.cron_job_events where time < ${`${month}T00:00:00Z`}`);
    return dropped;
  });
}

function partitionName(month: string): string {
  return `events_${month.slice(0, -'-DD'.length).replaceAll('-', '_')}`;
}

/** The first days of the months that have a partition in `events`. */
export async function listMonths(run: Run): Promise<Set<string>> {
  const rows = await run<{ name: string }>(
    sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'jobledger.events'::regclass`,
  );
  return new Set(rows.map(({ name }) => `${name.slice('events_'.length).replace('_', '-')}-01`));
}

/**
 * Creates a table and attaches the table as a partition. Unlike the creation of a partition, these statements do not
 * wait for readers, and no reader waits for them.
 */
async function createMonth(database: Database, month: string): Promise<void> {
  const name = partitionName(month);
  const change = {
    failure: `jobledger.${name} cannot be attached to jobledger.events`,
    beside: ['AccessShareLock', 'RowShareLock', 'RowExclusiveLock'],
  };
  await changePartitions(database, change, async (run) => {
    const there = await run(sql`select from pg_class where oid = to_regclass(${`jobledger.${name}`})`);
    if (there.length > 0) return;
    for (const text of [
      `create table jobledger.${name} (like jobledger.events including all)`,
      `comment on table jobledger.${name} is 'Events of the month that begins on ${month}, UTC.'`,
      `alter table jobledger.events attach partition jobledger.${name} for values from ('${month}T00:00:00Z') to (${monthEnd(month)})`,
    ])
      await run({ text, values: [] });
  });
}

/** The SQLSTATE of a lock that was not free in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Thrown when another session holds a lock; the message names this session. */
class LockedError extends UnavailableError {}

interface PartitionChange {
  failure: string;
  /** The lock modes of other sessions for which a change of the partitions does not wait. */
  beside: readonly string[];
}

/**
 * Changes the partitions in a transaction while no other session changes them. A statement that waits for a lock fails
 * after two seconds, so that the statement does not block others for as long as another session keeps its lock.
 */
async function changePartitions<T>(
  database: Database,
  { failure, beside }: PartitionChange,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction(async (run) => {
      await run(sql`set local lock_timeout = '2s'`);
      await run(sql`select pg_advisory_xact_lock(${LOCK})`);
      return work(run);
    });
  } catch (cause) {
    if (!(cause instanceof RefusedStatementError && cause.code === LOCK_NOT_AVAILABLE)) throw cause;
    const holders = await database.run<{ holder: string }>(lockHolders(beside));
    const named = holders.map(({ holder }) => holder).join(', ');
    throw new LockedError(
      `${failure}: it is locked by ${named === '' ? 'a session that has ended' : named}`,
      {
        cause,
      },
    );
  }
}

/**
 * Selects the sessions with locks on `events`, on its partitions, or on changes of the partitions, the oldest
 * transactions first.
 */
const lockHolders = (beside: readonly string[]): Statement => sql`
  select format('process %s (%s, %s, since %s)', l.pid, coalesce(nullif(a.application_name, ''), 'no name'),
    string_agg(distinct l.mode, ' and '), coalesce(to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'an unknown time')) as holder
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.granted and l.pid <> pg_backend_pid() and l.mode <> all(${beside})
    and l.database = (select oid from pg_database where datname = current_database())
    and (l.relation = 'jobledger.events'::regclass
      or l.relation in (select inhrelid from pg_inherits where inhparent = 'jobledger.events'::regclass)
      or (l.locktype = 'advisory' and (l.classid::bigint << 32) + l.objid::bigint = ${LOCK}))
  group by l.pid, a.application_name, a.xact_start
  order by a.xact_start limit 5`;

function monthEnd(month: string): string {
  const next = monthAfter(month);
  return next === AFTER_THE_LAST ? 'maxvalue' : `'${next}T00:00:00Z'`;
}
