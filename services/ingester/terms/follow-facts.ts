import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';

/** The time between two answers, in milliseconds. */
export const POLL_MS = 60_000;

/**
 * Reads facts about a cluster at intervals (default: a minute), such as its version and the APIs that it serves. Calls `onChange` when two
 * answers in a row agree and differ from the last recorded facts, because the answers differ while API servers are
 * upgraded one after another. Returns when `signal` is aborted. After an error, including an error of `onChange`, the
 * facts are read again; the error is logged with the message of `failed`.
 */
export async function followFacts<Facts>(
  read: () => Promise<Facts>,
  known: Facts,
  {
    onChange,
    failed: { log, message, cluster },
    signal,
    pollMs = POLL_MS,
  }: {
    onChange: (facts: Facts) => Promise<void>;
    failed: { log: Log; message: string; cluster: string };
    signal: AbortSignal;
    pollMs?: number;
  },
): Promise<void> {
  let [recorded, last] = [known, known];
  for (;;) {
    await pause(pollMs, signal);
    if (signal.aborted) return;
    try {
      const seen = await read();
      if (isDeepStrictEqual(seen, last) && !isDeepStrictEqual(seen, recorded)) {
        await onChange(seen);
        recorded = seen;
      }
      last = seen;
    } catch (error) {
      log.debug({ cluster, error: errorMessage(error) }, message);
    }
  }
}
