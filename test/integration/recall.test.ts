import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../workflows/job/record/digest.ts';
import { replay } from '../../workflows/job/record/replay.ts';
import { silentLog } from '../../services/adapters/log.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { locateStreams } from '../../services/read-model/stream-locations.ts';
import { createStreamReader, type StreamReader } from '../../services/worker/recall/stream-reader.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { generateLedger } from '../bench/ledger/generate.ts';

const EVENTS = 12_000;
const never = (): AbortSignal => new AbortController().signal;

let ledger: ALedger;
let database: Database;
let keys: string[];
/** What the stream readers logged, newest last. */
let logged: { jobs: number; records: number }[] = [];

beforeAll(async () => {
  ledger = await startLedger();
  const records = [...(await generateLedger({ events: EVENTS, days: 2, variants: 1 }))];
  keys = [...new Set(records.map(({ key }) => key))].filter((key) => key.includes('/'));
  await ledger.append(records);
  await ledger.start('projector');
  await ledger.applied();
  database = openDatabase(ledger.environment, silentLog(), { connections: 1 });
}, 120_000);

afterAll(async () => {
  await database?.close();
  await ledger?.stop();
}, 60_000);

function reader(withTables: boolean): StreamReader {
  logged = [];
  const log = silentLog();
  log.info = (fields: { jobs: number; records: number }): void => void logged.push(fields);
  const kafka = { ...ledger.kafka, log };
  return createStreamReader(kafka, {
    locate: withTables ? (wanted) => locateStreams(database.run, ledger.kafka.topics.ledger, wanted) : null,
  });
}

async function streamsBy(streamOf: StreamReader, wanted: readonly string[]): Promise<Map<string, string>> {
  const streams = await Promise.all(wanted.map((key) => streamOf(key, never())));
  return new Map(streams.map((stream, at) => [wanted[at] ?? '', digestOf([stream, replay(stream)])]));
}

describe('the stream of a Job', () => {
  it('is read at the places that the tables know, and equals that of a pass over the whole ledger', async () => {
    const some = keys.filter((_key, at) => at % 10 === 0);
    const whole = await streamsBy(reader(false), some);
    expect(await streamsBy(reader(true), some)).toEqual(whole);
    expect(new Set(whole.values()).size).toBe(some.length);
  }, 60_000);

  it('costs a small part of the ledger when it is that of one Job', async () => {
    const stream = await reader(true)(keys[0] ?? '', never());
    expect(stream.length).toBeGreaterThan(0);
    expect(logged).toHaveLength(1);
    expect(logged[0]?.records).toBeLessThan(EVENTS / 4);
  }, 60_000);

  it('is whole while the projector is behind', async () => {
    await ledger.services.halt('projector');
    const [event] = [...(await generateLedger({ events: 200, days: 1, variants: 1, seed: 7 }))];
    const key = keys[1] ?? '';
    const before = await reader(true)(key, never());
    await ledger.append([{ key, value: event?.value ?? '' }]);
    expect(await reader(true)(key, never())).toHaveLength(before.length + 1);
  }, 60_000);

  it('is found in the whole ledger when Postgres fails, or names places that the ledger does not have', async () => {
    const kafka = ledger.kafka;
    const fails = createStreamReader(kafka, { locate: () => Promise.reject(new Error('no Postgres')) });
    const wrong = createStreamReader(kafka, {
      locate: async (wanted) => {
        const located = await locateStreams(database.run, kafka.topics.ledger, wanted);
        const records = located.records.map((each) => ({ ...each, offset: each.offset + 3n }));
        return { ...located, records };
      },
    });
    const [key = ''] = keys;
    const stream = await reader(true)(key, never());
    expect(await fails(key, never())).toEqual(stream);
    expect(await wrong(key, never())).toEqual(stream);
  }, 60_000);

  it('is not read on when nobody waits for it', async () => {
    const over = new AbortController();
    const asked = reader(false)(keys[0] ?? '', over.signal);
    await delay(1);
    over.abort(new Error('the worker stops'));
    await expect(asked).rejects.toThrow('the worker stops');
  }, 30_000);
});
