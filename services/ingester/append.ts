import type { Appender } from '../adapters/kafka/append.ts';
import { encodeLiveRecord } from '../adapters/kafka/live-topic.ts';
import type { Topics } from '../adapters/kafka/connection.ts';
import { messageOf } from '../adapters/errors.ts';
import { faultPoint } from '../adapters/fault-points.ts';
import type { Log } from '../adapters/log.ts';
import type { LiveChange } from './live-set.ts';
import type { Translated } from './translate.ts';

/** So many translated happenings wait for Kafka at most; then the watches are no longer read. */
const CAPACITY = 10_000;
const BATCH = 500;
const RETRY_MS = 500;

/** The way from one cluster's translations to Kafka. */
export interface Sink {
  /** Takes a translation; resolves when there is room for the next. Order is kept. */
  put(translated: Translated): Promise<void>;
  /** Resolves when everything taken so far has been appended. */
  drained(): Promise<void>;
}

/**
 * Appends in order and in batches: whatever came while the last batch was on its way goes in one. Events first, then the
 * live set and the positions: after a crash in between the same events are appended again, under the same ids. A Kafka
 * that is away is waited for; nothing is dropped.
 */
export function createSink(needs: {
  cluster: string;
  appender: Appender;
  topics: Topics;
  log: Log;
  signal: AbortSignal;
}): Sink {
  const queue: Translated[] = [];
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;

  const run = async (): Promise<void> => {
    while (queue.length > 0 && !needs.signal.aborted) {
      const batch = queue.slice(0, BATCH);
      await appendBatch(needs, batch);
      queue.splice(0, batch.length);
    }
    isRunning = false;
  };
  const start = (): void => {
    if (isRunning) return;
    isRunning = true;
    running = run();
  };
  return {
    async put(translated) {
      queue.push(translated);
      start();
      if (queue.length > CAPACITY) await running;
    },
    drained: () => running,
  };
}

async function appendBatch(
  {
    cluster,
    appender,
    topics,
    log,
    signal,
  }: { cluster: string; appender: Appender; topics: Topics; log: Log; signal: AbortSignal },
  batch: readonly Translated[],
): Promise<void> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      await appender.append(batch.flatMap((each) => each.events));
      faultPoint('after-append');
      const changes = newestOnly(batch.flatMap((each) => each.changes));
      await appender.write(
        topics.live,
        changes.map((change) => encodeLiveRecord(recordOf(cluster, change))),
      );
      return;
    } catch (error) {
      log[tries % 10 === 0 ? 'warn' : 'debug'](
        { cluster, error: messageOf(error) },
        'Kafka does not accept; waiting for it',
      );
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function recordOf(cluster: string, change: LiveChange): Parameters<typeof encodeLiveRecord>[0] {
  if (change.resource === 'position')
    return { cluster, kind: 'position', key: change.of, value: change.position };
  return { cluster, kind: change.resource, key: change.uid, value: change.entry };
}

/** The topic keeps the newest record of a key only, so one of each is enough. */
function newestOnly(changes: readonly LiveChange[]): LiveChange[] {
  const newest = new Map(
    changes.map((change) => [change.resource === 'position' ? `position/${change.of}` : change.uid, change]),
  );
  return [...newest.values()];
}
