import { setTimeout as sleep } from 'node:timers/promises';
import { keyOfStreamId, kindOfEvent, streamIdOfKey } from '../../../workflows/kinds.ts';
import { recalledForm, type Recalled } from '../../../workflows/record/recalled.ts';
import { JobledgerError, errorMessage } from '../../adapters/errors.ts';
import { NewerRecordError } from '../../adapters/events/unreadable-record.ts';
import { readEvent } from '../../adapters/events/event-codec.ts';
import { firstWithin } from '../../adapters/first-within.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { readExtents, readRanges } from '../../adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../adapters/kafka/subscription.ts';
import type { RecordLocation, StreamLocations } from '../../read-model/streams/stream-locations.ts';
import { toUnusableError } from './unusable-stream.ts';
import { planKnownPlaces, planWholeTopic, type ReadingPlan } from './reading-plan.ts';

/**
 * Reads the stream with an id (kinds.ts) from the ledger and returns the result of `findStart`. `isWhole` is false when
 * the stream begins after the events of its last snapshot; `findStart` returns null if such a stream does not suffice.
 * @throws the reason of `signal` when it is aborted.
 */
export type StreamReader = <T>(id: string, signal: AbortSignal, findStart: StartOf<T>) => Promise<T>;

type StartOf<T> = (stream: readonly Recalled[], isWhole: boolean) => T | null;

export interface StreamReaderOptions {
  /** Finds the places of streams in the tables; null when no tables of this ledger exist. */
  locate: ((keys: readonly string[]) => Promise<StreamLocations | null>) | null;
}

/** The approximate limit for the records of the streams in one pass. */
const RECORDS_TOGETHER = 20_000;
/** The size of a fetch. A larger fetch returns more unwanted records for each place (docs/benchmarks.md). */
const FETCH_BYTES = 16 * 1024;
/**
 * The time for which requests are gathered after a pass, in milliseconds, because a pass for one Job costs nearly as
 * much as a pass for fifty Jobs.
 */
const GATHER_MS = 250;

interface Request {
  id: string;
  /** The key of the records of the stream. */
  key: string;
  signal: AbortSignal;
  /** Answers the request; returns false when the stream does not suffice. */
  take: (stream: readonly Recalled[], isWhole: boolean) => boolean;
  reject: (error: unknown) => void;
}

/**
 * Creates a reader of streams. Requests that arrive while the ledger is read share the next pass, because thousands of
 * Jobs and CronJobs are recalled at once after a loss of Temporal's database. The tables contain the places of the
 * records, so that a pass reads only the requested streams from the ledger. A pass reads the whole ledger if there are
 * no tables, or if they lack a part of a stream or name an unusable snapshot.
 */
export function createStreamReader(kafka: KafkaConnection, { locate }: StreamReaderOptions): StreamReader {
  let waiting: Request[] = [];
  let passes: Promise<void> | null = null;

  const answerAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const all = waiting;
      waiting = [];
      const located = await findLocations(all.map(({ key }) => key));
      const [now, later] = takeFirstPass(all, located);
      waiting = [...later, ...waiting];
      const left = located === null ? now : await runPass(now, located);
      if (left.length > 0) await runPass(left, null);
      // After a full pass, further requests are already waiting.
      if (later.length === 0) await sleep(GATHER_MS);
    }
    passes = null;
  };

  const findLocations = async (keys: readonly string[]): Promise<StreamLocations | null> => {
    try {
      return (await locate?.([...new Set(keys)])) ?? null;
    } catch (error) {
      kafka.log.warn(
        { error: errorMessage(error) },
        'the places of these streams cannot be read from Postgres; reading the whole ledger',
      );
      return null;
    }
  };

  /** Answers the requests. Returns the requests that need a pass over the whole ledger. */
  const runPass = async (requests: Request[], located: StreamLocations | null): Promise<Request[]> => {
    const known = requests.filter(({ key }) => located?.incomplete.has(key) !== true);
    const keys = new Set(known.map(({ key }) => key));
    const records = located?.records.filter(({ key }) => keys.has(key)) ?? [];
    const aborted = abortWithAll(known);
    try {
      const extents = await readExtents(kafka, kafka.topics.ledger);
      const plan =
        located === null ? planWholeTopic(extents) : planKnownPlaces(extents, records, located.appliedUpTo);
      const ids = new Set(known.map(({ id }) => id));
      const { streams, missing } = await readStreams(kafka, { ids, plan, records }, aborted.signal);
      const unanswered = requests.filter(({ key }) => !keys.has(key) || missing.has(key));
      for (const request of known) {
        const { id, key, take, reject } = request;
        const stream = streams.get(id) ?? [];
        if (missing.has(key)) continue;
        if (stream instanceof Error) {
          reject(stream);
          continue;
        }
        if (!take(stream, located?.fromSnapshot.has(key) !== true)) unanswered.push(request);
      }
      return unanswered;
    } catch (error) {
      for (const { reject } of requests) reject(error);
      return [];
    } finally {
      aborted.forget();
    }
  };

  return <T>(id: string, signal: AbortSignal, findStart: StartOf<T>) => {
    let abort = (): void => undefined;
    const answered = new Promise<T>((resolve, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      const take: Request['take'] = (stream, isWhole) => {
        const start = findStart(stream, isWhole);
        if (start !== null) resolve(start);
        return start !== null;
      };
      waiting.push({ id, key: keyOfStreamId(id), signal, take, reject });
      passes ??= answerAll();
    });
    // The listener is removed, because `signal` may be the signal of the process, which would keep each answer in
    // memory.
    return answered.finally(() => signal.removeEventListener('abort', abort));
  };
}

/** Divides requests into the requests of one pass, at least one, and the remaining requests. */
function takeFirstPass(requests: Request[], located: StreamLocations | null): [Request[], Request[]] {
  if (located === null) return [requests, []];
  const sizes = new Map<string, number>();
  for (const { key } of located.records) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const now = firstWithin(requests, ({ key }) => sizes.get(key) ?? 0, RECORDS_TOGETHER);
  return [now, requests.slice(now.length)];
}

/** A signal that is aborted when all requests are aborted, unless `forget` was called. */
function abortWithAll(requests: readonly Request[]): { signal: AbortSignal; forget: () => void } {
  const over = new AbortController();
  const check = (): void => {
    if (requests.every(({ signal }) => signal.aborted)) over.abort(requests[0]?.signal.reason);
  };
  for (const { signal } of requests) signal.addEventListener('abort', check, { once: true });
  check();
  const forget = (): void => {
    for (const { signal } of requests) signal.removeEventListener('abort', check);
  };
  return { signal: over.signal, forget };
}

interface Reading {
  /** The ids of the streams. */
  ids: ReadonlySet<string>;
  plan: ReadingPlan;
  /** The records that the pass must find. */
  records: readonly RecordLocation[];
}

/**
 * Reads the streams with these ids. The result has an error for a stream that cannot be read, and the keys of streams
 * whose records are not at their places. Records of other kinds with the same key belong to other streams.
 */
async function readStreams(
  kafka: KafkaConnection,
  { ids, plan, records }: Reading,
  signal: AbortSignal,
): Promise<{ streams: Map<string, Recalled[] | Error>; missing: Set<string> }> {
  const streams = new Map<string, Recalled[] | Error>([...ids].map((id) => [id, []]));
  const keys = new Set([...ids].map(keyOfStreamId));
  const expected = new Map(records.map((record) => [locationKey(record), record.key]));
  const visit = (record: LedgerRecord): void => {
    const { key } = record;
    if (!keys.has(key)) return;
    if (expected.get(locationKey(record)) === key) expected.delete(locationKey(record));
    try {
      const event = readEvent(record);
      const kind = event === null ? undefined : kindOfEvent(event);
      if (event === null || kind === undefined) return;
      const id = streamIdOfKey(key, kind.name);
      const stream = streams.get(id);
      if (stream === undefined || stream instanceof Error) return;
      try {
        stream.push(recalledForm(kind, event));
      } catch (error) {
        streams.set(id, toUnusableError(id, error));
      }
    } catch (error) {
      if (!(error instanceof NewerRecordError)) throw error;
      for (const id of ids) if (keyOfStreamId(id) === key) streams.set(id, newerVersionError(key, error));
    }
  };
  let fetched = 0;
  const onFetched = (count: number): void => void (fetched += count);
  const onRecords = (batch: readonly LedgerRecord[]): Promise<void> => {
    for (const record of batch) visit(record);
    return Promise.resolve();
  };
  const options = { signal, fetchBytes: FETCH_BYTES, onFetched };
  await readRanges(kafka, kafka.topics.ledger, plan, onRecords, options);
  kafka.log.info({ streams: ids.size, records: fetched }, 'read streams from the ledger');
  const missing = new Set(expected.values());
  if (missing.size > 0)
    kafka.log.warn(
      { streams: missing.size },
      'the tables name records that the ledger does not have; reading the whole ledger for these streams',
    );
  return { streams, missing };
}

function locationKey({ partition, offset }: Pick<RecordLocation, 'partition' | 'offset'>): string {
  return `${partition}/${offset}`;
}

/**
 * The error for a stream with a record of a newer version. The error is retryable, because another worker can read the
 * stream.
 */
function newerVersionError(key: string, cause: NewerRecordError): JobledgerError {
  return new JobledgerError(
    `${key} waits for a newer worker: this worker cannot recall the object, because its stream has a record of a newer version`,
    { cause, retryable: true },
  );
}
