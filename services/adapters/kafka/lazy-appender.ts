import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { UnavailableError } from '../errors.ts';
import { createAppender, type Appender } from './append.ts';
import type { KafkaConnection } from './connection.ts';

/** An appender that connects at first use, and again after a failure. `append` throws UnavailableError. */
export type LazyAppender = Pick<Appender, 'append' | 'close'>;

/** `onAppended` receives the events that Kafka has acknowledged. */
export function createLazyAppender(
  connection: KafkaConnection,
  onAppended?: (events: readonly LedgerEvent[]) => void,
): LazyAppender {
  let connected: Promise<Appender> | null = null;
  const appender = (): Promise<Appender> => {
    connected ??= createAppender(connection, onAppended).catch((cause: unknown) => {
      connected = null;
      throw new UnavailableError('Kafka does not accept the request', { cause });
    });
    return connected;
  };
  return {
    append: async (events, permit) => (await appender()).append(events, permit),
    close: async () => (await connected?.catch(() => undefined))?.close(),
  };
}
