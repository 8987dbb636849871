import type { Database } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';

/** Creates the monthly partitions of `events` that instants fall into, and remembers which there are. */
export type EnsureMonths = (instants: readonly string[]) => Promise<void>;

/** Partitions are created by one process at a time. */
const LOCK = 7_213_305_882;

export function createEnsureMonths(database: Database): EnsureMonths {
  const known = new Set<string>();
  return async (instants) => {
    const wanted = new Set(instants.map(monthOf));
    for (const month of [...wanted].filter((each) => !known.has(each)).toSorted()) {
      // The month after it too: nobody waits for its lock on the first of the month.
      for (const each of [month, monthAfter(month)]) await createMonth(database, each);
      known.add(month);
    }
  };
}

/** First day of the month of an instant, in UTC. */
export function monthOf(instant: string): string {
  return `${new Date(instant).toISOString().slice(0, -'DDTHH:MM:SS.mmmZ'.length)}01`;
}

export function monthAfter(month: string): string {
  const date = new Date(month);
  date.setUTCMonth(date.getUTCMonth() + 1);
  return monthOf(date.toISOString());
}

async function createMonth(database: Database, month: string): Promise<void> {
  const name = `events_${month.slice(0, -'-DD'.length).replaceAll(/\D/g, '_')}`;
  await database.transaction(async (run) => {
    await run(sql`select pg_advisory_xact_lock(${LOCK})`);
    const there = await run(sql`select from pg_class where oid = to_regclass(${`jobledger.${name}`})`);
    if (there.length > 0) return;
    await run({
      text: `create table jobledger.${name} partition of jobledger.events for values from ('${month}T00:00:00Z') to ('${monthAfter(month)}T00:00:00Z')`,
      values: [],
    });
    await run({
      text: `comment on table jobledger.${name} is 'Events of the month that begins on ${month}, UTC.'`,
      values: [],
    });
  });
}
