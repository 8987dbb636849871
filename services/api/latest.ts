import { errorMessage } from '../adapters/errors.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';

/** The time that a request waits for Kafka, and the time for which the records count as present. */
const [ANSWER_MS, LASTS_MS] = [2000, 5000];

interface LatestOptions {
  log: Log;
  /** Logged when the records cannot be read. */
  failed: string;
  answerMs?: number;
  lastsMs?: number;
}

/**
 * The records of Kafka, or null while it does not answer. Reads one at a time, only when asked. A reading that takes
 * longer than a request waits continues for later requests, which do not wait for it again.
 */
export function latestFrom<T>(
  read: () => Promise<T>,
  { log, failed, answerMs = ANSWER_MS, lastsMs = LASTS_MS }: LatestOptions,
): () => Promise<T | null> {
  let latest: { value: T; at: number } | undefined;
  let reading: { value: Promise<T | null>; since: number } | undefined;
  const start = async (): Promise<T | null> => {
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
    reading ??= { value: start(), since: performance.now() };
    const wait = Math.max(0, answerMs - (performance.now() - reading.since));
    const limit = new AbortController();
    try {
      return await Promise.race([reading.value, pause(wait, limit.signal).then(() => null)]);
    } finally {
      limit.abort();
    }
  };
}
