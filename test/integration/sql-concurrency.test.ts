import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { aJob, after, jobObserved, START } from '../projector/builders.ts';
import { randomPodLife, type PodLife } from '../projector/pod-lives.ts';
import { aGrowingLedger, emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';
import { seededRandom } from '../support/random.ts';

jest.setTimeout(120_000);

const JOBS = ['job-1', 'job-2', 'job-3'];
const STEP = 420;

let postgres: RealPostgres;
let database: Database;
let lives: PodLife[];

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
  await emptied(database);
  const chance = seededRandom(7);
  lives = Array.from({ length: 150 }, (_, at) => randomPodLife(at, chance, JOBS[at % JOBS.length])).filter(
    ({ isOpen }) => !isOpen,
  );
  const jobs = JOBS.map((uid) => jobObserved(0, aJob({ version: 1, metadata: { uid, name: uid } }), uid));
  const events = [...jobs, ...lives.flatMap((life) => life.events)];
  await aGrowingLedger(database)(events.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time)));
});
afterAll(() => postgres.close());

describe('the function concurrency', () => {
  it('counts the pods, their Jobs and their requests at each instant', async () => {
    const [since, until] = [3000, 36 * 3600];
    const rows = await database.run<Record<string, unknown>>(
      sql`select at, cluster, team, jobs::integer, pods::integer, cpu_request_cores::float as cores, gpu_request::float as gpus
        from jobledger.concurrency(${after(since)}, ${after(until)}, ${`${STEP} seconds`}::interval)`,
    );
    const expected = [];
    for (let at = since; at <= until; at += STEP) {
      const held = lives.flatMap((life) =>
        life.periods
          .filter((each) => each.from <= at && at < each.until)
          .map((each) => ({ ...each, ...life })),
      );
      expected.push({
        at: new Date(START + at * 1000).toISOString(),
        cluster: 'east',
        team: 'default',
        jobs: new Set(held.map(({ jobUid }) => jobUid)).size,
        pods: held.length,
        cores: held.reduce((sum, { cores }) => sum + cores, 0),
        gpus: held.reduce((sum, { gpus }) => sum + gpus, 0),
      });
    }
    expect(Math.max(...expected.map(({ pods }) => pods))).toBeGreaterThan(10);
    expect(rows).toEqual(expected);
  });

  it.each([
    ['0 seconds', 'SQLSTATE 22023'],
    ['-1 hour', 'SQLSTATE 22023'],
    ['1 month', 'SQLSTATE 22023'],
    ['1 millisecond', 'SQLSTATE 22023'],
  ])('refuses a step of %s', async (step, error) => {
    const asked = sql`select from jobledger.concurrency(${after(0)}, ${after(3600)}, ${step}::interval)`;
    await expect(database.run(asked)).rejects.toThrow(error);
  });

  it('has no rows where no pod held a node', async () => {
    expect(
      await database.run(sql`select from jobledger.concurrency('1999-01-01', '1999-01-02', '1 hour')`),
    ).toEqual([]);
  });
});
