import { readFileSync } from 'node:fs';
import type { ObjectRef } from '../../workflows/activities.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { locateStreams } from '../../services/read-model/streams/stream-locations.ts';
import { rebuild } from '../../services/projector/rebuild/rebuild.ts';
import { recall } from '../../services/worker/recall/recall.ts';
import { createStartReader, type StartReader } from '../../services/worker/recall/start-reader.ts';
import { createStreamReader } from '../../services/worker/recall/stream-reader.ts';
import { startFilledServers } from './ledger/filled-servers.ts';

/**
 * `npm run bench:recall [-- EVENTS]`: how long it takes to recall one Job, and a thousand at once, from a ledger of half a
 * million events, and how many records are read for that, on servers of its own. With the tables, and without.
 */
const EVENTS = Number(process.argv[2] ?? 500_000);
const MANY = 1000;

const { connection, database, postgres, stop } = await startFilledServers(EVENTS);
const { ledger: topic } = connection.topics;
/** Records that Kafka has returned. */
let records = 0;
const kafka = {
  ...connection,
  log: Object.assign(Object.create(connection.log), {
    info: (fields: { records?: number }) => void (records += fields.records ?? 0),
  }) as typeof connection.log,
};

try {
  await rebuild({ postgres, connection, projection: null, isCheck: false, onProgress: () => undefined });
  const found = await database.run<Omit<ObjectRef, 'kind'>>(
    sql`select cluster, uid, namespace, name from jobledger.jobs order by md5(uid) limit ${MANY}`,
  );
  const open = found.map((each): ObjectRef => ({ ...each, kind: 'Job' }));
  const locate = (keys: readonly string[]): ReturnType<typeof locateStreams> =>
    locateStreams(database.run, topic, keys);
  const [one] = open;
  if (one === undefined) throw new Error('the ledger has no Job');
  await measured('one Job', [one], locate);
  await measured('one Job again', [one], locate);
  await measured(`${open.length} Jobs`, open, locate);
  await measured('one Job without the tables', [one], null);
} finally {
  await stop();
}

async function measured(
  what: string,
  jobs: readonly ObjectRef[],
  locate: Parameters<typeof createStreamReader>[1]['locate'],
): Promise<void> {
  records = 0;
  const readStart = createStartReader(createStreamReader(kafka, { locate }));
  const begin = performance.now();
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, residentBytes())), 50);
  const events = { total: 0 };
  const counted: StartReader = async (job, signal) => {
    const start = await readStart(job, signal);
    events.total += start.rest.length;
    return start;
  };
  // As a worker: this many activities at once.
  const queue = [...jobs];
  const worker = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift())
      await recall(
        { readStart: counted, snapshots: { count: () => undefined } },
        job,
        new AbortController().signal,
      );
  };
  await Promise.all(Array.from({ length: 100 }, worker));
  clearInterval(watch);
  const seconds = (performance.now() - begin) / 1000;
  process.stdout.write(
    `${what} of ${EVENTS} events: ${seconds.toFixed(2)} s, ${events.total} events recalled, ${records} records read, ${(peak / 1e6).toFixed(0)} MB resident at most\n`,
  );
}

function residentBytes(): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return process.memoryUsage().rss;
  }
}
