import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { DefaultLogger, Runtime, type NativeConnection } from '@temporalio/worker';
import { readConfig, temporalEnvironment, type TemporalConfig } from '../../services/adapters/config.ts';
import { connectTemporal } from '../../services/adapters/temporal/connection.ts';
import { connectWorkers } from '../../services/adapters/temporal/worker.ts';
import { startServers } from './shared-servers/start-servers.ts';

/** A namespace of its own in Temporal, with connections for clients and for workers. */
export interface ATemporal {
  config: TemporalConfig;
  client: Client;
  connection: NativeConnection;
  stop(): Promise<void>;
}

/** To be called once in a test file: it installs the runtime of its workers. */
export async function startTemporal(): Promise<ATemporal> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-temporal-'));
  const { servers, environment } = await startServers({ stateDir, temporal: true });
  const config = readConfig(temporalEnvironment, environment);
  const client = await connectTemporal(config);
  const connection = await connectWorkers(config);
  return {
    config,
    client,
    connection,
    async stop() {
      await connection.close();
      await client.connection.close();
      await servers.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
