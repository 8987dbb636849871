import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';

/** Looks once a second which Temporal servers answer, like a readiness probe. */
export interface ReadyServers {
  /** One that answered at the last look, a different one each time when there are several. */
  next(): string | undefined;
  stop(): Promise<void>;
}

const EVERY_MS = 1000;
const ANSWERS_WITHIN_MS = 1000;

export function watchReadyServers(addresses: readonly string[]): ReadyServers {
  const stopped = new AbortController();
  const ready = new Set<string>();
  let count = 0;
  const watching = addresses.map(async (address) => {
    const connection = Connection.lazy({ address });
    while (!stopped.signal.aborted) {
      const answers = connection
        .withDeadline(Date.now() + ANSWERS_WITHIN_MS, () => connection.workflowService.getSystemInfo({}))
        .then(
          () => true,
          () => false,
        );
      if (await answers) ready.add(address);
      else ready.delete(address);
      await delay(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    await connection.close();
  });
  return {
    next() {
      const found = addresses.filter((address) => ready.has(address));
      count += 1;
      return found[count % found.length];
    },
    async stop() {
      stopped.abort();
      await Promise.all(watching);
    },
  };
}
