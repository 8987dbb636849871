import type { Client } from '@temporalio/client';
import type { TemporalConfig } from '../config.ts';
import type { Log } from '../process/log.ts';
import { connectTemporal } from './connection.ts';

/** A Temporal client that connects at first use, and reconnects after a failure. */
export interface TemporalClient {
  /** Runs `work` with the client. @throws UnavailableError when Temporal does not answer, and any error of `work`. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The deadline of requests in milliseconds, because a caller waits for the result. */
const ANSWER_MS = 5000;

export function createTemporalClient(config: TemporalConfig, log: Log): TemporalClient {
  let connected: Promise<Client> | undefined;
  const connect = (): Promise<Client> => {
    connected ??= connectTemporal(config, log).catch((error: unknown) => {
      connected = undefined;
      throw error;
    });
    return connected;
  };
  return {
    use: async (work) => {
      const client = await connect();
      return client.withDeadline(Date.now() + ANSWER_MS, () => work(client));
    },
    close: async () => (await connected?.catch(() => undefined))?.connection.close(),
  };
}
