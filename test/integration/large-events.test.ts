import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLog } from '../../services/adapters/process/log.ts';
import { openDatabase, type Database, type Run } from '../../services/adapters/postgres/database.ts';
import type { Statement } from '../../services/adapters/postgres/statement.ts';
import { eventsOfJob } from '../../services/api/queries/ledger.ts';
import type { Positions } from '../../services/api/stream/positions.ts';
import { readEventsAfter } from '../../services/api/stream/read-on.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import { readEvents } from '../../services/read-model/streams/stream.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';

const MIB = 1024 * 1024;
const EVENTS = 40;
/** A read may return 4 MiB and the event with which it exceeds them. */
const MOST_BYTES = 15 * MIB;
const TIME = '2026-05-01T00:00:00.000Z';
const KEY = { cluster: 'east', uid: 'u' };

let ledger: ALedger;
let database: Database;

/** A Job with large annotations that changes often has such events of a megabyte each. */
beforeAll(async () => {
  ledger = await startLedger();
  database = openDatabase(ledger.environment, silentLog(), { connections: 1 });
  await createEnsureMonths(database)([{ time: TIME } as never]);
  await ledger.client.query(
    `insert into jobledger.events (id, type, type_version, source, subject, cluster, job_uid, namespace, job_name, time,
       kafka_partition, kafka_offset, digest, data)
     select 'event-' || number, 'job.observed', 1, '/clusters/east', 'team/large', 'east', 'u', 'team', 'large', $1,
       number % 2, number, 'none', jsonb_build_object('text', repeat('x', $2))
     from generate_series(1, $3) as number`,
    [TIME, MIB, EVENTS],
  );
}, 120_000);

afterAll(async () => {
  await database?.close();
  await ledger?.stop();
}, 60_000);

describe('a table with events of a megabyte each', () => {
  const ends: Positions = new Map([
    [0, BigInt(EVENTS + 1)],
    [1, BigInt(EVENTS + 1)],
  ]);

  it('is read by the event stream of the API a few events at a time, and each event once', async () => {
    const ids: string[] = [];
    let from: Positions = new Map();
    for (let reads = 0; reads < 100 && ids.length < EVENTS; reads += 1) {
      const { events, next } = await readEventsAfter(database.run, from, ends, {
        filter: { places: null },
        limit: 100,
      });
      expect(JSON.stringify(events.map(({ event }) => event)).length).toBeLessThan(MOST_BYTES);
      ids.push(...events.map(({ event }) => event.id));
      from = next;
    }
    expect(ids.toSorted()).toEqual(Array.from({ length: EVENTS }, (_, at) => `event-${at + 1}`).toSorted());
  }, 60_000);

  it('is read by the list of the events of a Job a few events at a time, and each event once', async () => {
    const ids: string[] = [];
    let after = '-1';
    for (let reads = 0; reads < 100; reads += 1) {
      const { rows, isCut } = await eventsOfJob(database.run, KEY, {}, after, 500);
      expect(JSON.stringify(rows).length).toBeLessThan(MOST_BYTES);
      ids.push(...rows.map(({ id }) => id));
      after = rows.at(-1)?.kafka_offset ?? after;
      if (!isCut) break;
    }
    expect(ids).toEqual(Array.from({ length: EVENTS }, (_, at) => `event-${at + 1}`));
  }, 60_000);

  it('is read by a fold of a Job a few events at a time, and each event once', async () => {
    const sizes: number[] = [];
    const counted = (async (statement: Statement) => {
      const rows = await database.run<object>(statement);
      sizes.push(JSON.stringify(rows).length);
      return rows;
    }) as Run;
    const ids = (await Array.fromAsync(readEvents(counted, KEY))).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: EVENTS }, (_, at) => `event-${at + 1}`));
    expect(Math.max(...sizes)).toBeLessThan(MOST_BYTES);
  }, 60_000);
});

describe('a table with small events', () => {
  it('is read by a fold of a Job a thousand events at a time, and each event once', async () => {
    await ledger.client.query(
      `insert into jobledger.events (id, type, type_version, source, subject, cluster, job_uid, namespace, job_name, time,
         kafka_partition, kafka_offset, digest, data)
       select 'small-' || number, 'job.observed', 1, '/clusters/east', 'team/small', 'east', 'small', 'team', 'small', $1,
         0, number, 'none', '{}' from generate_series(1, 2500) as number`,
      [TIME],
    );
    const reads: number[] = [];
    const counted = (async (statement: Statement) => {
      const rows = await database.run<object>(statement);
      if (statement.text.includes('jobledger.events')) reads.push(rows.length);
      return rows;
    }) as Run;
    const ids = (await Array.fromAsync(readEvents(counted, { cluster: 'east', uid: 'small' }))).map(
      ({ id }) => id,
    );
    expect(ids).toEqual(Array.from({ length: 2500 }, (_, at) => `small-${at + 1}`));
    expect(reads).toEqual([1000, 1000, 500]);
  }, 60_000);
});
