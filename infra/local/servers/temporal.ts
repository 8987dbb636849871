import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { plainEnvironment } from '../processes/child.ts';
import type { ChildSpec } from '../processes/keep-running.ts';
import { LOOPBACK } from '../state/ports.ts';
import { STOP } from '../processes/stop-order.ts';
import { retryUntilResolved } from '../processes/until.ts';

export const TEMPORAL_NAMESPACE = 'default';

/** Temporal's development server, with a SQLite file as its database. */
export function planTemporalServer(at: {
  stateDir: string;
  port: number;
  metricsPort: number;
  httpPort: number;
  temporal: string;
}): {
  spec: ChildSpec;
  address: string;
  metrics: string;
} {
  const home = path.join(at.stateDir, 'temporal');
  const address = `${LOOPBACK}:${at.port}`;
  const ports = ['--port', at.port, '--http-port', at.httpPort, '--metrics-port', at.metricsPort].map(String);
  const spec: ChildSpec = {
    name: 'temporal',
    ...STOP.server,
    async prepare() {
      mkdirSync(home, { recursive: true });
    },
    command: () => ({
      file: at.temporal,
      args: [
        'server',
        'start-dev',
        '--headless',
        '--ip',
        LOOPBACK,
        ...ports,
        ...databaseArguments(home),
        ...DYNAMIC_CONFIG.flatMap((setting) => ['--dynamic-config-value', setting]),
        '--log-level',
        'warn',
      ],
      cwd: home,
      env: plainEnvironment(),
    }),
    ready: (_child, signal) => retryUntilResolved(() => checkTemporal(address), signal),
  };
  return { spec, address, metrics: `http://${LOOPBACK}:${at.metricsPort}/metrics` };
}

/** One partition is used instead of four: with one server, several partitions spread no load, but tasks are forwarded between them. */
const DYNAMIC_CONFIG = ['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1'];

/** The arguments of SQLite, with whose defaults the same work takes ten times as long. */
function databaseArguments(home: string): string[] {
  const pragmas = ['journal_mode=WAL', 'synchronous=NORMAL'].flatMap((pragma) => ['--sqlite-pragma', pragma]);
  return ['--db-filename', path.join(home, 'temporal.db'), ...pragmas];
}

/** The check succeeds when both the namespace and the visibility store respond. */
async function checkTemporal(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 2000 });
  try {
    await connection.workflowService.describeNamespace({ namespace: TEMPORAL_NAMESPACE });
    await connection.workflowService.listWorkflowExecutions({ namespace: TEMPORAL_NAMESPACE, pageSize: 1 });
  } finally {
    await connection.close();
  }
}
