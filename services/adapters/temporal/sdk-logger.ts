import { DefaultLogger, type Logger } from '@temporalio/worker';
import { errorMessage } from '../errors.ts';
import type { Log } from '../process/log.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/** A message that repeats within this time, in milliseconds, is logged for debugging only. */
const REPEATED_MS = 60_000;

/**
 * Writes messages of the SDK with the level WARN or higher to our log, each message at most once a minute. `now`:
 * milliseconds since 1970.
 */
export function sdkLogger(log: Log, now: () => number = Date.now): Logger {
  const last = new Map<string, number>();
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    const at = now();
    for (const [text, time] of last) if (at - time >= REPEATED_MS) last.delete(text);
    const isRepeated = last.has(message);
    if (!isRepeated) last.set(message, at);
    const { error, taskQueue, workflowId } = meta ?? {};
    log[isRepeated ? 'debug' : LEVELS[level]](
      {
        temporal: message,
        ...(error !== undefined && { error: error instanceof Error ? errorMessage(error) : String(error) }),
        ...(taskQueue !== undefined && { taskQueue: taskQueue as unknown }),
        ...(workflowId !== undefined && { job: workflowId as unknown }),
      },
      'temporal worker',
    );
  });
}
