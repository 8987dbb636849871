import path from 'node:path';
import { startLocalServers } from '../../../../infra/local/local-servers.ts';
import { createSupervisor } from '../../../../infra/local/processes/supervisor.ts';
import {
  createDatabases,
  createNamespace,
  NAMESPACE,
  temporalServers,
} from '../../../engines/temporal-server.ts';
import type { MeasuredProcess } from '../meters/processes.ts';

/** A Temporal server whose database is a Postgres of its own, as in production. */
export interface TemporalOnPostgres {
  readonly address: string;
  readonly namespace: string;
  readonly databaseUrl: string;
  processes(): MeasuredProcess[];
  /** Rejects when the server is given up; never resolves. */
  readonly failed: Promise<{ error: Error }>;
  stop(): Promise<void>;
}

export async function startTemporalOnPostgres(
  stateDir: string,
  report: (line: string) => void,
): Promise<TemporalOnPostgres> {
  const at = (...parts: string[]): string => path.join(stateDir, 'temporal-on-postgres', ...parts);
  const servers = await startLocalServers({
    stateDir: at(),
    postgres: true,
    kafka: false,
    temporal: false,
    report,
  });
  const supervisor = createSupervisor({ runDir: at('run', 'temporal'), logsDir: at('logs'), report });
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    await servers.stop();
  };
  try {
    const databaseUrl = servers.addresses.databaseUrl ?? '';
    const { hostname: host, port, username: user, password } = new URL(databaseUrl);
    const postgres = { host, port: Number(port), user, password };
    await createDatabases(postgres, report);
    const { specs, addresses } = await temporalServers(at(), ['temporal'], postgres, report);
    const [address = ''] = addresses;
    await Promise.all(specs.map((spec) => supervisor.start(spec)));
    await createNamespace(address);
    return {
      address,
      namespace: NAMESPACE,
      databaseUrl,
      processes: () => [
        { name: 'temporal', pid: supervisor.pid('temporal') ?? 0 },
        { name: "temporal's postgres", pid: servers.pid('postgres') ?? 0 },
      ],
      failed: Promise.race([supervisor.failed, servers.failed]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
