import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { UnavailableError } from '../errors.ts';
import { withTimeLimit } from '../waiting/within.ts';
import { createAppender, type Appender } from './append.ts';
import type { KafkaConnection } from './connection.ts';

/** The time that a caller waits for the connection, in milliseconds. */
const CONNECT_MS = 8000;

/** An appender that connects at first use, and again after a failure. `append` throws UnavailableError, within 12 s. */
export type LazyAppender = Pick<Appender, 'append' | 'close'>;

/** `onAppended` receives the events that Kafka has acknowledged. `prepare` runs before each attempt to connect. */
export function createLazyAppender(
  connection: KafkaConnection,
  prepare: () => Promise<void>,
  onAppended?: (events: readonly LedgerEvent[]) => void,
): LazyAppender {
  let connected: Promise<Appender> | null = null;
  const connect = async (): Promise<Appender> => {
    await prepare();
    return createAppender(connection, onAppended);
  };
  const getAppender = async (): Promise<Appender> => {
    connected ??= connect().catch((cause: unknown) => {
      connected = null;
      throw cause;
    });
    try {
      return await withTimeLimit(CONNECT_MS, connected);
    } catch (cause) {
      throw new UnavailableError('Kafka does not accept the request', { cause });
    }
  };
  return {
    append: async (events, permit) => (await getAppender()).append(events, permit),
    close: async () =>
      (await (connected && withTimeLimit(CONNECT_MS, connected).catch(() => undefined)))?.close(),
  };
}
