import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { array, nat, record, sample } from 'fast-check';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { appended, ofCronJob, ofJob } from '../projector/decisions-made-again.ts';
import {
  aProjector,
  emptied,
  MIGRATIONS,
  recordsOf,
  rowsIn,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';

jest.setTimeout(120_000);

let postgres: RealPostgres;
let database: Database;

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());

const STREAMS = sample(
  array(record({ back: nat({ max: 3 }), late: nat({ max: 2 }), waits: nat({ max: 2 }) }), {
    minLength: 1,
    maxLength: 12,
  }),
  { numRuns: 200, seed: 19 },
).map(appended);

/** What an earlier version may have written of the Jobs whose decisions were made again. */
const WRONG = `
  with again as (select distinct job_uid from jobledger.decisions group by job_uid, number having count(*) > 1),
  flags as (update jobledger.decisions set superseded = not superseded where job_uid in (select job_uid from again)),
  cron as (
    update jobledger.cron_jobs
    set last_decision = 'wrong', last_number = 99, last_decided_at = now(), chain = 'wrong', look_again_at = now(),
      waiting_rule = 'wrong', waiting_words = 'wrong', waiting_since = now()
    where uid in (select replace(job_uid, 'job', 'cron') from again)
  )
  update jobledger.jobs
  set last_decision = 'wrong', last_number = 99, last_decided_at = now(), chain = 'wrong', look_again_at = now(),
    waiting_rule = 'wrong', waiting_words = 'wrong', waiting_since = now()
  where uid in (select job_uid from again)
  returning uid`;

it('the migration of superseded corrects the rows of decisions that were made again as the projector writes them', async () => {
  await emptied(database);
  const ofJobs = STREAMS.flatMap((events, at) => events.map((event) => ofJob(event, `job-${at}`)));
  const ofCronJobs = STREAMS.flatMap((events, at) => events.map((event) => ofCronJob(event, `cron-${at}`)));
  const { project, deadLetters } = aProjector(database);
  await project(recordsOf([...ofJobs, ...ofCronJobs]));
  expect(deadLetters).toEqual([]);
  const right = await rowsIn(database);
  const wrong = await database.run({ text: WRONG, values: [] });
  expect(wrong.length).toBeGreaterThan(STREAMS.length / 2);
  expect(await rowsIn(database)).not.toEqual(right);
  await database.run({
    text: "delete from jobledger.migrations where name = '0019-superseded.sql'",
    values: [],
  });
  expect(await migrate(database, MIGRATIONS)).toEqual(['0019-superseded.sql']);
  expect(await rowsIn(database)).toEqual(right);
});
