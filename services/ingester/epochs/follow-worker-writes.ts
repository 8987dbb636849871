import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import type { OlderAnswer } from '../../live-topic/older-answer.ts';

const POLL_MS = 1000;
/**
 * The intervals at which an object is compared again if the comparison fails, for example because the API server
 * refuses access to a namespace.
 */
const BACKOFF = { firstMs: 1000, longestMs: 60_000 };

interface FollowOlderOptions {
  cluster: string;
  /** Reads the objects that workers wrote last before the term. */
  readWritten: () => Promise<readonly OlderAnswer[]>;
  /** The last object that a worker has reported; null without such an object. */
  reported: () => OlderAnswer | null;
  /** True for an object of the present epoch in a watched namespace. */
  concerns: (answer: OlderAnswer) => boolean;
  /** Begins a new epoch if the API server has the object in an older version. */
  check: (answer: OlderAnswer) => Promise<unknown>;
  log: Log;
  signal: AbortSignal;
  pollMs?: number;
  backoff?: typeof BACKOFF;
}

/**
 * Finds a restore that lost only writes of workers: the copy is younger than the positions of the watches, so the
 * watches continue without an error. The function compares the objects that workers wrote last before the term and the
 * objects that workers report, and repeats each comparison until it succeeds. Returns when `signal` is aborted.
 */
export async function followWorkerWrites(options: FollowOlderOptions): Promise<void> {
  const { cluster, readWritten, reported, concerns, check, log, signal } = options;
  const { pollMs = POLL_MS, backoff = BACKOFF } = options;
  const begun = new Set<string>();
  const compare = (answer: OlderAnswer): void => {
    const key = JSON.stringify(answer);
    if (begun.has(key) || !concerns(answer)) return;
    begun.add(key);
    const { namespace, name } = answer;
    const onFailedAttempt = logFailures(
      log,
      'an object that a worker wrote could not be compared with the API server; trying again',
      { cluster, namespace, name },
    );
    // Only the end of the term ends the attempts.
    retry(() => check(answer), { signal, backoff, shouldRetry: () => true, onFailedAttempt }).catch(
      () => undefined,
    );
  };
  const onFailedAttempt = logFailures(
    log,
    'the objects that workers wrote last could not be read from Kafka; trying again',
    { cluster },
  );
  retry(readWritten, { signal, shouldRetry: () => true, onFailedAttempt }).then(
    (written) => written.forEach(compare),
    () => undefined,
  );
  while (!signal.aborted) {
    const answer = reported();
    if (answer !== null) compare(answer);
    await pause(pollMs, signal);
  }
}
