import { errorMessage } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import type { OlderAnswer } from '../../contracts/older-answer.ts';

const LOOK_MS = 1000;

interface FollowOlderOptions {
  cluster: string;
  /** Reads the objects that workers wrote last, since the watches reached their positions. */
  readWritten: () => Promise<readonly OlderAnswer[]>;
  /** The last object that a worker has reported; null without one. */
  reported: () => OlderAnswer | null;
  /** True for an object of the present epoch in a watched namespace. */
  concerns: (answer: OlderAnswer) => boolean;
  /** Begins a new epoch if the API server has the object in an older version. */
  check: (answer: OlderAnswer) => Promise<unknown>;
  log: Log;
  signal: AbortSignal;
  lookMs?: number;
}

/**
 * Finds a restore that lost only writes of workers: its copy is younger than the positions of the watches, so these
 * continue without an error. Compares the objects that workers wrote last before the term, and those that workers
 * report. A failed comparison is repeated. Returns when `signal` is aborted.
 */
export async function followOlder(options: FollowOlderOptions): Promise<void> {
  const { cluster, readWritten, reported, concerns, check, log, signal, lookMs = LOOK_MS } = options;
  const onFailedAttempt = logFailures(
    log,
    'the objects that workers wrote last could not be compared with the API server; trying again',
    { cluster },
  );
  const compareWritten = async (): Promise<void> => {
    for (const answer of await readWritten()) if (concerns(answer)) await check(answer);
  };
  await retry(compareWritten, { signal, shouldRetry: () => true, onFailedAttempt }).catch(() => undefined);
  let checked = '';
  while (!signal.aborted) {
    const answer = reported();
    const text = JSON.stringify(answer);
    if (answer !== null && text !== checked && concerns(answer))
      await check(answer).then(
        () => (checked = text),
        (error: unknown) =>
          log.debug({ cluster, error: errorMessage(error) }, 'the reported version could not be compared'),
      );
    await pause(lookMs, signal);
  }
}
