import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEnsureMonths } from '../../services/projector/months.ts';
import { selectLocations } from '../../services/read-model/streams/stream-locations.ts';
import { pagesRead } from '../support/pages-read.ts';
import { emptied, startPostgres, TOPIC, type RealPostgres } from '../projector/real-postgres.ts';

/** One Job has this number of events, and another 100 Jobs have as many together. There are no statistics, as at first. */
const EVENTS = 20_000;
const TIME = '2026-03-01T12:00:00Z';
/** The last snapshot of `with` is near the end, and contains all but the last 100 events before it. */
const SNAPSHOT_AT = EVENTS - 500;
const FILL = `insert into jobledger.events (id, type, type_version, source, subject, cluster, job_uid, time, kafka_partition, kafka_offset, digest, data)
  select job || '/' || n,
    case when job = 'with' and n = $2 then 'job.snapshotted' else 'pod.observed' end, 1,
    'east', 'default/a', 'east', case when job = 'others' then job || n % 100 else job end, $3, 0, n, 'digest',
    case when job = 'with' and n = $2
      then jsonb_build_object('stateFormat', 'this', 'unfolded', jsonb_build_array('with/' || n - 100))
      else jsonb_build_object('object', repeat(md5(n::text), 50)) end
  from generate_series(1, $1::int) n, unnest(array['with', 'without', 'others']) job`;

let postgres: RealPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
  const { database } = postgres;
  await emptied(database);
  await createEnsureMonths(database)([{ id: 'first', time: TIME }]);
  await database.run({
    text: 'alter table jobledger.events_2026_03 set (autovacuum_enabled = false)',
    values: [],
  });
  await database.run({ text: FILL, values: [EVENTS, SNAPSHOT_AT, TIME] });
}, 120_000);
afterAll(() => postgres?.close(), 60_000);

/** Returns how many records the streams have, and how many pages of 8 KiB are read to find them. */
async function cost(jobs: readonly string[]): Promise<{ records: number; pages: number }> {
  const keys = jobs.map((job) => `east/${job}`);
  const { rows, pages } = await pagesRead(
    postgres.database,
    selectLocations(TOPIC, keys, { PlacedJob: 'this', Job: 'this', CronJob: 'this' }),
  );
  return { records: rows, pages };
}

describe('the search in the tables for the records of a Job', () => {
  it('finds only the records from the last snapshot on, and reads fewer than three pages for each', async () => {
    const { records, pages } = await cost(['with']);
    expect(records).toBe(EVENTS - SNAPSHOT_AT + 101);
    expect(pages).toBeLessThan(3 * records);
  });

  it('finds the whole stream without a snapshot, and reads fewer than three pages for each record', async () => {
    const { records, pages } = await cost(['without']);
    expect(records).toBe(EVENTS);
    expect(pages).toBeLessThan(3 * records);
  });

  it('finds the streams of a hundred Jobs at once, and reads fewer than three pages for each record', async () => {
    const { records, pages } = await cost(Array.from({ length: 100 }, (_none, job) => `others${job}`));
    expect(records).toBe(EVENTS);
    expect(pages).toBeLessThan(3 * records);
  });
});
