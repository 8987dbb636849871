import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { array, assert, asyncProperty, integer, record } from 'fast-check';
import { NewerRecordError } from '../../services/adapters/events/unreadable-record.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { createApplyTogether } from '../../services/projector/apply-together.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aJob, after, aPod, decided, jobDeleted, jobObserved, podObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  toRecords,
  rowsAfter,
  rowsIn,
  startPostgres,
  TOPIC,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';

jest.setTimeout(120_000);

let postgres: RealPostgres;
let database: Database;

beforeAll(async () => {
  postgres = await startPostgres({ ownServers: true });
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(() => emptied(database));

describe('batches of records from several partitions', () => {
  /** Each partition has the observation of a Job; Postgres refuses a deadline that is larger than a bigint. */
  async function applied(deadlines: readonly number[]): Promise<PromiseSettledResult<void>[]> {
    const events = deadlines.map((activeDeadlineSeconds, at) =>
      jobObserved(
        at,
        aJob({ version: 1, metadata: { name: `job-${at}` }, spec: { activeDeadlineSeconds } }),
        `uid-${at}`,
      ),
    );
    await createEnsureMonths(database)(events);
    const applyTogether = createApplyTogether({ database, topic: TOPIC });
    const batches = events.map((event, partition) => ({
      partition,
      first: 0n,
      next: 1n,
      events: [{ partition, offset: 0n, event, version: 1, dataText: null }],
      deadLetters: [],
    }));
    return Promise.allSettled(batches.map((batch) => applyTogether({ batch, known: 0n })));
  }

  it('are applied in one transaction', async () => {
    expect((await applied([1, 2, 3])).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
    const rows = await database.run(
      sql`select count(*)::int as jobs, count(distinct xmin::text)::int as transactions from jobledger.jobs`,
    );
    expect(rows).toEqual([{ jobs: 3, transactions: 1 }]);
  });

  it('fail separately: a batch that Postgres refuses does not prevent the others', async () => {
    const results = await applied([1, 1e19, 3]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const rows = await database.run(sql`select partition, next_offset from jobledger.positions order by 1`);
    expect(rows).toEqual([
      { partition: 0, next_offset: '1' },
      { partition: 2, next_offset: '1' },
    ]);
  });
});

describe('a stream that the projector applies', () => {
  it('gives the same rows in batches of any size, with or without repeats', async () => {
    const records = toRecords(aStory());
    const whole = await rowsAfter(database, records);
    const batch = record({
      length: integer({ min: 1, max: 6 }),
      again: integer({ min: 0, max: 2 }),
    });
    await assert(
      asyncProperty(array(batch, { minLength: 19, maxLength: 19 }), async (plan) => {
        const batches: LedgerRecord[][] = [];
        let at = 0;
        for (const { length, again } of plan) {
          const from = Math.max(0, at - again);
          batches.push(records.slice(from, at + length));
          at += length;
        }
        expect(await rowsAfter(database, ...batches.filter((each) => each.length > 0))).toEqual(whole);
      }),
      { numRuns: 15 },
    );
  });

  it('gives the same rows when its position was lost and it is applied again from the beginning', async () => {
    const records = toRecords(aStory());
    const once = await rowsAfter(database, records);
    await database.run(sql`delete from jobledger.positions`);
    await aProjector(database).project(records);
    expect(await rowsIn(database)).toEqual(once);
  });

  it('gives the same rows when two projectors apply it at the same time', async () => {
    const records = toRecords(aStory());
    const once = await rowsAfter(database, records);
    await emptied(database);
    const [one, other] = [aProjector(database), aProjector(database)];
    const halves = [records.slice(0, 9), records.slice(9)];
    for (const half of halves) await Promise.all([one.project(half), other.project(half)]);
    expect(await rowsIn(database)).toEqual(once);
    await one.project(records.slice(0, 3));
    const positions = await database.run(sql`select next_offset from jobledger.positions`);
    expect(positions).toEqual([{ next_offset: String(records.length) }]);
  });

  it('has one row for a repeated event, with the time of its first occurrence', async () => {
    await rowsAfter(database, toRecords(aStory()));
    const rows = await database.run(
      sql`select id, count(*)::int as n, min(time) as time from jobledger.events where id like '%jobs/job-1/5' group by id`,
    );
    expect(rows).toEqual([{ id: 'east/jobs/job-1/5', n: 1, time: after(1) }]);
  });
});

describe('unusable records in the projector', () => {
  it('become dead letters with their reasons, and do not prevent that other records are applied', async () => {
    const [first, second, third] = toRecords([
      jobObserved(1, aJob({ version: 1 })),
      jobObserved(2, aJob({ version: 2, spec: { activeDeadlineSeconds: 1e19 } })),
      podObserved(3, aPod({ name: 'pi-a', version: 3, status: { message: 'a\u0000b' } })),
    ]);
    const notJson = { partition: 0, offset: 3n, key: 'k', value: Buffer.from('{') };
    const last = { ...toRecords([jobDeleted({ at: 9, version: 9 })])[0], offset: 4n } as LedgerRecord;
    const projector = aProjector(database);
    await projector.project([first, second, third, notJson, last] as LedgerRecord[]);
    expect([...new Set(projector.deadLetters.map(({ reason }) => reason))].toSorted()).toEqual([
      expect.stringContaining('the record cannot be projected: Postgres refused a statement'),
      'the record is not JSON',
    ]);
    expect(projector.fatal).toEqual([]);
    const letters = await database.run(sql`select kafka_offset, key from jobledger.dead_letters order by 1`);
    expect(letters).toEqual([
      { kafka_offset: '1', key: 'east/job-1' },
      { kafka_offset: '3', key: 'k' },
    ]);
    const jobs = await database.run(sql`select parallelism, deleted_at from jobledger.jobs`);
    expect(jobs).toEqual([{ parallelism: 1, deleted_at: after(9) }]);
    expect(await database.run(sql`select message from jobledger.pods`)).toEqual([{ message: 'a\ufffdb' }]);
  });

  it('need six transactions when one of them is among 63 usable records', async () => {
    const records = toRecords(
      Array.from({ length: 64 }, (_none, at) => {
        const spec = at === 20 ? { activeDeadlineSeconds: 1e19 } : {};
        return jobObserved(at, aJob({ version: 1, spec }), `uid-${at}`);
      }),
    );
    const projector = aProjector(database);
    await projector.project(records);
    expect(projector.deadLetters).toHaveLength(1);
    const rows = await database.run(
      sql`select count(*)::int as jobs, count(distinct xmin::text)::int as transactions from jobledger.jobs`,
    );
    expect(rows).toEqual([{ jobs: 63, transactions: 6 }]);
  });
});

describe('a name or a number that is larger than Kubernetes allows', () => {
  /** Postgres cannot compress this text. */
  const long = (): string => Array.from({ length: 200 }, () => randomUUID()).join('');

  it('is cut to the largest allowed size, and the record does not become a dead letter', async () => {
    const job = aJob({
      version: 1,
      status: { conditions: [{ type: long(), status: 'True', reason: long() }] },
    });
    job.metadata.ownerReferences = [
      { apiVersion: 'example.com/v1', kind: long(), name: long(), uid: long(), controller: true },
    ];
    const often = { restartCount: 2 ** 31 - 1, ready: false, image: '', imageID: '' };
    const containerStatuses = ['a', 'b'].map((name) => ({ ...often, name }));
    const pod = aPod({ name: 'pi-a', version: 2, status: { containerStatuses } });
    const projector = aProjector(database);
    await projector.project(toRecords([jobObserved(1, job), podObserved(2, pod)]));
    expect(projector.deadLetters).toEqual([]);
    const rows = await database.run(
      sql`select length(owner_name) as owner, length(type) as type, restarts from jobledger.jobs cross join jobledger.conditions cross join jobledger.pods`,
    );
    expect(rows).toEqual([{ owner: 253, type: 253, restarts: 2 ** 31 - 1 }]);
  });
});

describe('an instant after the year 9999 or before 1970', () => {
  it('is stored as the last or first possible instant, and the record does not become a dead letter', async () => {
    const decision = decided(2, 1, { waiting: { rule: 'J-6.5', message: 'a deadline' } });
    const far = { ...decision, data: { ...decision.data, nextDecisionAt: 1e15 } } as JobEvent;
    const before = decided(3, 2, { id: 'decision-2' });
    const early = { ...before, data: { ...before.data, now: -1e15 } } as JobEvent;
    const lastMonth = { ...jobObserved(4, aJob({ version: 4 })), time: '9999-12-31T23:59:59.999Z' };
    const noYear = {
      ...podObserved(5, aPod({ name: 'pi-a', version: 5 })),
      time: '0000-01-01T00:00:00.000Z',
    };
    const projector = aProjector(database);
    await projector.project(toRecords([jobObserved(1, aJob({ version: 1 })), far, early, lastMonth, noYear]));
    expect(projector.deadLetters).toEqual([]);
    const decisions = await database.run(
      sql`select id, now, next_decision_at from jobledger.decisions order by id`,
    );
    expect(decisions).toEqual([
      { id: 'decision-1', now: after(2), next_decision_at: '9999-12-31T23:59:59.999Z' },
      { id: 'decision-2', now: '1970-01-01T00:00:00.000Z', next_decision_at: null },
    ]);
    const times = await database.run(sql`select time from jobledger.events order by time`);
    expect(times).toEqual(
      ['1970-01-01T00:00:00.000Z', after(1), after(2), after(3), '9999-12-31T23:59:59.999Z'].map((time) => ({
        time,
      })),
    );
  });
});

describe('a record of a newer version in the projector', () => {
  const [first, second, third, last] = toRecords([
    jobObserved(1, aJob({ version: 1 })),
    podObserved(3, aPod({ name: 'pi-a', version: 3 })),
    jobObserved(4, aJob({ version: 4 })),
    jobDeleted({ at: 9, version: 9 }),
  ]) as [LedgerRecord, LedgerRecord, LedgerRecord, LedgerRecord];
  const newer = {
    ...third,
    value: Buffer.from(String(third.value).replace('job.observed.v1', 'job.observed.v2')),
  };
  const message =
    'partition 0, offset 2 of the ledger: dev.jobledger.job.observed.v2 is newer than this version of Jobledger, which reads job.observed up to version 1: start a newer one';
  const stored = (): Promise<unknown[]> =>
    database.run(
      sql`select next_offset, (select count(*)::int from jobledger.events) as events, (select count(*)::int from jobledger.dead_letters) as letters from jobledger.positions`,
    );

  it('stops the partition, where earlier records are applied with their position, and does not become a dead letter', async () => {
    const projector = aProjector(database);
    await expect(projector.project([first, second, newer, last])).rejects.toThrow(
      new NewerRecordError(message),
    );
    expect(await stored()).toEqual([{ next_offset: '2', events: 2, letters: 0 }]);
    await expect(projector.project([newer, last])).rejects.toThrow(new NewerRecordError(message));
    expect(await stored()).toEqual([{ next_offset: '2', events: 2, letters: 0 }]);
    expect({ fatal: projector.fatal, deadLetters: projector.deadLetters }).toEqual({
      fatal: [],
      deadLetters: [],
    });
  });

  it('stops the partition also after an unusable record, which becomes a dead letter', async () => {
    const tooLarge = toRecords([jobObserved(1, aJob({ version: 1, spec: { activeDeadlineSeconds: 1e19 } }))]);
    const projector = aProjector(database);
    await expect(projector.project([...tooLarge, second, newer, last])).rejects.toThrow(message);
    expect(await stored()).toEqual([{ next_offset: '2', events: 1, letters: 1 }]);
  });

  it('is applied with all later records by a version that can read it', async () => {
    await aProjector(database).project([first, second, third, last]);
    expect(await stored()).toEqual([{ next_offset: '4', events: 4, letters: 0 }]);
  });
});

describe('a projector and its Postgres', () => {
  it('lose no rows and add no rows twice when Postgres is killed in between', async () => {
    const records = toRecords(aStory());
    const whole = await rowsAfter(database, records);
    await emptied(database);
    const projector = aProjector(database);
    await projector.project(records.slice(0, 5));
    await postgres.servers.kill('postgres');
    await projector.project(records.slice(5));
    expect(projector.fatal).toEqual([]);
    expect(await rowsIn(database)).toEqual(whole);
  });

  it('continue from the position in the tables, also when Postgres returns with empty tables', async () => {
    const records = toRecords(aStory());
    const whole = await rowsAfter(database, records);
    await emptied(database);
    const projector = aProjector(database);
    await projector.project(records.slice(0, 5));
    await emptied(database);
    await projector.project(records.slice(5));
    expect(projector.continuesAt).toEqual([0n]);
    await projector.project(records);
    expect(await rowsIn(database)).toEqual(whole);
    expect(projector.fatal).toEqual([]);
  });

  it('end a statement in Postgres after 31 s, a second after the client stops waiting for it', async () => {
    expect(await database.run(sql`show statement_timeout`)).toEqual([{ statement_timeout: '31s' }]);
  });
});
