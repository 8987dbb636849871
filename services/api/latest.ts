import { errorMessage } from '../adapters/errors.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';

/** The time that a request waits for Kafka, and the time for which the records count as present. */
const [ANSWER_MS, LASTS_MS] = [2000, 5000];

interface LatestOptions {
  log: Log;
  /** The message for the log when the records cannot be read. */
  failed: string;
  answerMs?: number;
  lastsMs?: number;
}

/**
 * Returns a function that returns the latest records of Kafka, or null while Kafka does not answer. The function reads
 * only on demand, and one reading at a time. If a reading takes longer than a request waits, it continues for later
 * requests, which do not wait for it again.
 */
export function createLatestReader<T>(
  read: () => Promise<T>,
  { log, failed, answerMs = ANSWER_MS, lastsMs = LASTS_MS }: LatestOptions,
): () => Promise<T | null> {
  let latest: { value: T; at: number } | undefined;
  let reading: { value: Promise<T | null>; since: number } | undefined;
  const readLatest = async (): Promise<T | null> => {
    try {
      latest = { value: await read(), at: performance.now() };
      return latest.value;
    } catch (error) {
      log.warn({ error: errorMessage(error) }, failed);
      return null;
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    if (latest !== undefined && performance.now() - latest.at < lastsMs) return latest.value;
    reading ??= { value: readLatest(), since: performance.now() };
    const wait = Math.max(0, answerMs - (performance.now() - reading.since));
    const limit = new AbortController();
    try {
      return await Promise.race([reading.value, pause(wait, limit.signal).then(() => null)]);
    } finally {
      limit.abort();
    }
  };
}
