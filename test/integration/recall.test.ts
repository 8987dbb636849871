import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import type { AnyState } from '../../workflows/kind.ts';
import type { ObjectRef } from '../../workflows/activities.ts';
import { JOB } from '../../workflows/job/kind.ts';
import { replayInSteps, type FoldStart } from '../../workflows/record/recalled.ts';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { createSnapshots, type Snapshots } from '../../services/worker/recall/snapshots.ts';
import { readKafkaCluster } from '../../services/installation/installation.ts';
import { locateStreams } from '../../services/read-model/streams/stream-locations.ts';
import { createLocate } from '../../services/worker/recall/tables.ts';
import { recall } from '../../services/worker/recall/recall.ts';
import { createStartReader } from '../../services/worker/recall/start-reader.ts';
import { createStreamReader, type StreamReader } from '../../services/worker/recall/stream-reader.ts';
import { runToEnd } from '../support/snapshots.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import * as cronCore from '../../workflows/cron-job/core.ts';
import { foldStream } from '../../workflows/decision/folding.ts';
import { aCronJobLife } from '../projector/cron-job-life.ts';
import { generateLedger } from '../bench/ledger/generate.ts';

const EVENTS = 12_000;
const never = (): AbortSignal => new AbortController().signal;

let ledger: ALedger;
let database: Database;
let kafkaCluster: string | null;
let keys: string[];
/** The stream readers have logged these objects, the newest last. */
let logged: { streams: number; records: number }[] = [];

beforeAll(async () => {
  ledger = await startLedger();
  const records = [...(await generateLedger({ events: EVENTS, days: 2, variants: 1 }))];
  keys = [...new Set(records.map(({ key }) => key))].filter((key) => key.includes('/'));
  await ledger.append(records);
  await ledger.start('projector');
  await ledger.applied();
  database = openDatabase(ledger.environment, silentLog(), { connections: 1 });
  kafkaCluster = await readKafkaCluster(ledger.kafka);
}, 120_000);

afterAll(async () => {
  await database?.close();
  await ledger?.stop();
}, 60_000);

type ByKey = (key: string, signal: AbortSignal) => Promise<FoldStart>;

/** Returns a reader of streams of Jobs by their keys. */
function reader(withTables: boolean): ByKey {
  return byKey(anyReader(withTables));
}

function byKey(readStream: StreamReader): ByKey {
  const readStart = createStartReader(readStream);
  return (key, signal) => readStart(jobAt(key), signal);
}

function jobAt(key: string): ObjectRef {
  const [cluster = '', uid = ''] = key.split('/');
  return { cluster, uid, namespace: 'default', name: 'any', kind: 'Job' };
}

function anyReader(withTables: boolean): StreamReader {
  logged = [];
  const log = silentLog();
  log.info = (fields: { streams: number; records: number }): void => void logged.push(fields);
  const kafka = { ...ledger.kafka, log };
  return createStreamReader(kafka, {
    locate: withTables ? createLocate(database.run, kafka, kafkaCluster) : null,
  });
}

async function streamsBy(readStream: ByKey, wanted: readonly string[]): Promise<Map<string, string>> {
  const streams = await Promise.all(wanted.map((key) => readStream(key, never())));
  return new Map(
    streams.map((start, at) => [
      wanted[at] ?? '',
      computeDigest([start.rest, runToEnd(replayInSteps(JOB, start))]),
    ]),
  );
}

function snapshotsInLedger(): Snapshots {
  return createSnapshots({
    readStart: createStartReader(anyReader(true)),
    append: (events) => ledger.append(events.map((event) => encodeEvent(event))),
    areAllowed: true,
    signal: never(),
    log: silentLog(),
  });
}

describe('the stream of a CronJob in the ledger', () => {
  const life = aCronJobLife();
  const uid = life[0]?.data.cronJobUid ?? '';
  const job: ObjectRef = { cluster: 'east', uid, namespace: 'default', name: 'tick', kind: 'CronJob' };
  const state = foldStream(life, cronCore);
  const recalled = (): Promise<AnyState> =>
    recall(
      { readStart: createStartReader(anyReader(true)), snapshots: { count: () => undefined } },
      job,
      never(),
    );

  it('is found through the positions in the tables, so that less than a quarter of the ledger is read', async () => {
    await ledger.append(life.map(encodeEvent));
    await ledger.applied();
    expect(await recalled()).toEqual(state);
    expect(logged[0]?.records).toBeLessThan(EVENTS / 4);
  }, 60_000);

  it('is read only from its last snapshot on', async () => {
    const snapshots = snapshotsInLedger();
    snapshots.count(job, 1000);
    await snapshots.settled();
    await ledger.applied();
    const start = await createStartReader(anyReader(true))(job, never());
    expect(start.decision).not.toBeNull();
    expect(start.rest.length).toBeLessThan(life.length / 2);
    expect(await recalled()).toEqual(state);
  }, 60_000);
});

describe('the stream of a Job in the ledger', () => {
  it('is searched in the whole ledger while the tables contain the positions of another Kafka cluster', async () => {
    const some = keys.slice(0, 3);
    const whole = await streamsBy(reader(false), some);
    const recorded = await ledger.client.query(
      'select distinct kafka_cluster as id from jobledger.positions',
    );
    expect(recorded.rows).toEqual([{ id: kafkaCluster }]);
    const record = 'update jobledger.positions set kafka_cluster = $1';
    await ledger.client.query(record, ['another']);
    expect(await streamsBy(reader(true), some)).toEqual(whole);
    expect(logged[0]?.records).toBeGreaterThan(EVENTS);
    await ledger.client.query(record, [kafkaCluster]);
    expect(await streamsBy(reader(true), some)).toEqual(whole);
    expect(logged[0]?.records).toBeLessThan(EVENTS / 4);
  }, 60_000);

  it('is the same whether it is found through the positions in the tables or by a scan of the whole ledger', async () => {
    const some = keys.filter((_key, at) => at % 10 === 0);
    const whole = await streamsBy(reader(false), some);
    expect(await streamsBy(reader(true), some)).toEqual(whole);
    expect(new Set(whole.values()).size).toBe(some.length);
  }, 60_000);

  it('is found through the positions in the tables, so that less than a quarter of the ledger is read', async () => {
    const stream = await reader(true)(keys[0] ?? '', never());
    expect(stream.rest.length).toBeGreaterThan(0);
    expect(logged).toHaveLength(1);
    expect(logged[0]?.records).toBeLessThan(EVENTS / 4);
  }, 60_000);

  it('is read completely also while the projector is behind', async () => {
    await ledger.services.halt('projector');
    const others = [...(await generateLedger({ events: 200, days: 1, variants: 1, seed: 7 }))];
    const event = others.find((each) => each.key.includes('/'));
    const key = keys[1] ?? '';
    const before = await reader(true)(key, never());
    await ledger.append([{ key, value: event?.value ?? '' }]);
    expect((await reader(true)(key, never())).rest).toHaveLength(before.rest.length + 1);
  }, 60_000);

  it('is searched in the whole ledger when Postgres fails, or has wrong positions', async () => {
    const kafka = ledger.kafka;
    const fails = byKey(
      createStreamReader(kafka, { locate: () => Promise.reject(new Error('no Postgres')) }),
    );
    const wrong = byKey(
      createStreamReader(kafka, {
        locate: async (wanted) => {
          const located = await locateStreams(database.run, kafka.topics.ledger, wanted);
          const records = located.records.map((each) => ({ ...each, offset: each.offset + 3n }));
          return { ...located, records };
        },
      }),
    );
    const [key = ''] = keys;
    const stream = await reader(true)(key, never());
    expect(await fails(key, never())).toEqual(stream);
    expect(await wrong(key, never())).toEqual(stream);
  }, 60_000);

  it('is read only from its last snapshot on', async () => {
    await ledger.start('projector');
    await ledger.applied();
    const read = reader(true);
    const byLength = await Promise.all(keys.map(async (key) => ({ key, start: await read(key, never()) })));
    const [longest] = byLength.toSorted((a, b) => b.start.rest.length - a.start.rest.length);
    const [first] = longest?.start.rest ?? [];
    if (longest === undefined || first === undefined) throw new Error('no Job');
    const { key, start } = longest;
    const [namespace = '', name = ''] = first.subject.split('/');
    const [cluster = '', uid = ''] = key.split('/');
    const job: ObjectRef = { cluster, uid, namespace, name, kind: 'Job' };
    const snapshots = snapshotsInLedger();
    snapshots.count(job, 999);
    await snapshots.settled();
    await ledger.applied();
    expect((await reader(true)(key, never())).rest).toHaveLength(start.rest.length);
    snapshots.count(job, 1);
    await snapshots.settled();
    for (const isApplied of [false, true]) {
      if (isApplied) {
        await ledger.applied();
        const { records } = await locateStreams(database.run, ledger.kafka.topics.ledger, [key]);
        expect(records.length).toBeLessThan(start.rest.length / 2);
      }
      const now = await reader(true)(key, never());
      expect(now.rest.length).toBeLessThan(start.rest.length / 2);
      expect(runToEnd(replayInSteps(JOB, now))).toStrictEqual(runToEnd(replayInSteps(JOB, start)));
    }
  }, 60_000);

  it('is read without leaving a listener on the abort signal of the process', async () => {
    const life = new AbortController();
    const [key = '', other = ''] = keys;
    for (const withTables of [true, false]) {
      const read = reader(withTables);
      await Promise.all([read(key, life.signal), read(key, life.signal), read(other, life.signal)]);
      expect(getEventListeners(life.signal, 'abort')).toEqual([]);
    }
  }, 60_000);

  it('is not read further when the caller aborts', async () => {
    const over = new AbortController();
    const asked = reader(false)(keys[0] ?? '', over.signal);
    await delay(1);
    over.abort(new Error('the worker stops'));
    await expect(asked).rejects.toThrow('the worker stops');
  }, 30_000);
});
