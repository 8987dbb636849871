import type { Client } from '@temporalio/client';
import type { TemporalConfig } from '../config.ts';
import { connectTemporal } from './connection.ts';

/** A client of Temporal that connects when it is first used, and again when that failed. */
export interface TemporalClient {
  /** @throws UnavailableError when Temporal does not answer, and what the work throws. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What is asked takes no longer than this, in milliseconds: a caller waits for it. */
const ANSWER_MS = 5000;

export function createTemporalClient(config: TemporalConfig): TemporalClient {
  let connected: Promise<Client> | undefined;
  const connect = (): Promise<Client> => {
    connected ??= connectTemporal(config).catch((error: unknown) => {
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
