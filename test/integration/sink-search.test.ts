import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../services/adapters/postgres/statement.ts';
import type { MessageType } from '../../services/projector/sink/message.ts';
import { readOccurrences } from '../../services/projector/sink/recorded.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aJob, anEndedPod, aPod, jobObserved, podObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  toRecords,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { at as instant } from '../support/builders.ts';

let postgres: RealPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.close());
beforeEach(() => emptied(postgres.database));

/** An object has as many versions before its end or start as after it. A search with a quadratic cost would read far more rows. */
const VERSIONS = 1000;

/** Searches all records for messages of these types, and returns how many rows it read and how many occurrences it found. */
async function searched(
  events: readonly JobEvent[],
  types: readonly MessageType[],
): Promise<{ read: number; found: number }> {
  await aProjector(postgres.database).project(toRecords(events));
  await postgres.database.run(sql`analyze`);
  return postgres.database.transaction(async (run) => {
    const span = { partition: 0, from: 0n, to: BigInt(events.length) };
    const { found } = await readOccurrences(run, span, types);
    const [counted] = await run<{ read: number }>(
      sql`select sum(idx_tup_fetch + seq_tup_read)::float8 as read from pg_stat_xact_user_tables where schemaname = 'jobledger'`,
    );
    return { read: counted?.read ?? Number.NaN, found: found.length };
  });
}

describe('the database search for messages to a sink', () => {
  const many = Array.from({ length: VERSIONS }, (_, at) => at);

  it('reads fewer than 20 rows for each event when a pod changes often before and after its failure', async () => {
    const running = many.map((at) => podObserved(3, aPod({ name: 'a', version: 10_000 + at })));
    const failed = many.map((at) =>
      podObserved(9, anEndedPod({ name: 'a', version: 50_000 + at, exitCode: 3, endedAt: 9 })),
    );
    const events = [jobObserved(1, aJob({ version: 1 })), ...running, ...failed];
    const { read, found } = await searched(events, ['attempt-failed']);
    expect(found).toBe(1);
    expect(read).toBeLessThan(20 * events.length);
  });

  it('reads fewer than 20 rows for each event when a Job changes often before and after its start', async () => {
    const started = (version: number, startTime?: string): JobEvent =>
      jobObserved(2, aJob({ version, status: startTime === undefined ? {} : { startTime } }));
    const events = [
      ...many.map((at) => started(10_000 + at)),
      ...many.map((at) => started(50_000 + at, instant(1))),
    ];
    const { read, found } = await searched(events, ['started']);
    expect(found).toBe(1);
    expect(read).toBeLessThan(20 * events.length);
  });

  it('reads fewer than 20 rows for each event when a Job has many failed pods', async () => {
    const events = [
      jobObserved(1, aJob({ version: 1 })),
      ...many.flatMap((at) => [
        podObserved(3, aPod({ name: `a${at}`, version: 10_000 + 2 * at })),
        podObserved(9, anEndedPod({ name: `a${at}`, version: 10_001 + 2 * at, exitCode: 3, endedAt: 9 })),
      ]),
    ];
    const { read, found } = await searched(events, ['attempt-failed']);
    expect(found).toBe(19);
    expect(read).toBeLessThan(20 * events.length);
  });
});
