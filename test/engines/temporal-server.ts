import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { writePrivately } from '../../infra/local/state/files.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import { STOP } from '../../infra/local/processes/stop-order.ts';
import { retryUntilResolved } from '../../infra/local/processes/until.ts';
import { plainEnvironment } from '../../infra/local/processes/child.ts';
import type { ChildSpec } from '../../infra/local/processes/keep-running.ts';
import { findTool } from '../../infra/local/tools/find-tool.ts';
import type { Say } from '../../infra/local/tools/cache.ts';
import type { PostgresAddress } from '../support/postgres-pair.ts';

/** Temporal's servers, each with all four roles; together they are one Temporal cluster. */
export interface TemporalServers {
  specs: readonly ChildSpec[];
  /** Of each server's frontend, in the order of the specs. */
  addresses: readonly string[];
  /** Lets the namespace have this many requests a second from each server; undefined: as many as it wants. */
  limitRequests(perSecond: number | undefined): void;
  /** True when the limit holds, which the servers read every 5 s; otherwise undefined. */
  refusesRequests(): Promise<true | undefined>;
}

export const NAMESPACE = 'default';
const DATABASES = { temporal: 'temporal', temporal_visibility: 'visibility' } as const;
const ROLES = ['frontend', 'history', 'matching', 'worker'] as const;
const SHARDS = 4;

/** Creates Temporal's two databases with their tables. */
export async function createDatabases(postgres: PostgresAddress, report: Say): Promise<void> {
  const tool = await findTool('temporal-sql-tool', { report, signal: new AbortController().signal });
  const { host, port, user, password } = postgres;
  const at = ['--plugin', 'postgres12', '--endpoint', host, '--port', String(port), '--user', user];
  for (const [database, schema] of Object.entries(DATABASES))
    for (const step of [
      ['create-database', '--defaultdb', 'postgres'],
      ['setup-schema', '--version', '0.0'],
      ['update-schema', '--schema-name', `postgresql/v12/${schema}`],
    ])
      await promisify(execFile)(tool, [...at, '--database', database, ...step], {
        env: plainEnvironment({ SQL_PASSWORD: password }),
      });
}

/** `postgres`: the address at which the servers always find the primary. */
export async function temporalServers(
  stateDir: string,
  names: readonly string[],
  postgres: PostgresAddress,
  report: Say,
): Promise<TemporalServers> {
  const program = await findTool('temporal-server', { report, signal: new AbortController().signal });
  const dynamicConfig = join(stateDir, 'temporal', 'dynamic-config.yaml');
  const limitRequests = (perSecond: number | undefined): void => {
    const limit = perSecond === undefined ? {} : { 'frontend.namespaceRPS': [{ value: perSecond }] };
    writePrivately(dynamicConfig, stringify({ ...limit, ...SETTINGS }));
  };
  limitRequests(undefined);
  const servers = await Promise.all(
    names.map(async (name) => {
      const home = join(stateDir, name);
      mkdirSync(home, { recursive: true });
      const wanted = ROLES.flatMap((role) => [role, `${role}-membership`]);
      const port = await reservePorts(join(home, 'ports.json'), [...wanted, 'http']);
      const config = writePrivately(
        join(home, 'config.yaml'),
        stringify(configuration({ port, dynamicConfig, postgres })),
      );
      const address = `${LOOPBACK}:${port('frontend')}`;
      const spec: ChildSpec = {
        name,
        ...STOP.server,
        command: () => ({
          file: program,
          args: ['--config-file', config, '--allow-no-auth', 'start'],
          cwd: home,
          env: plainEnvironment(),
        }),
        ready: (_child, signal) => retryUntilResolved(() => describesItself(address), signal),
      };
      return { spec, address };
    }),
  );
  return {
    specs: servers.map(({ spec }) => spec),
    addresses: servers.map(({ address }) => address),
    limitRequests,
    async refusesRequests() {
      const refused = await Promise.all(servers.map(({ address }) => isRefused(address)));
      return refused.every(Boolean) || undefined;
    },
  };
}

const RESOURCE_EXHAUSTED = 8;
const AT_ONCE = 20;

/** Whether one of many requests at once is refused. */
async function isRefused(address: string): Promise<boolean> {
  // Without interceptors nothing tries again.
  const connection = await Connection.connect({ address, connectTimeout: 2000, interceptors: [] });
  try {
    const requests = Array.from({ length: AT_ONCE }, () =>
      connection.workflowService.listWorkflowExecutions({ namespace: NAMESPACE, pageSize: 1 }).then(
        () => false,
        (error: unknown) => (error as { code?: number }).code === RESOURCE_EXHAUSTED,
      ),
    );
    return (await Promise.all(requests)).some(Boolean);
  } finally {
    await connection.close();
  }
}

export async function createNamespace(address: string): Promise<void> {
  await retryUntilResolved(async () => {
    const connection = await Connection.connect({ address, connectTimeout: 2000 });
    try {
      const workflowExecutionRetentionPeriod = { seconds: 86_400 } as never;
      await connection.workflowService
        .registerNamespace({ namespace: NAMESPACE, workflowExecutionRetentionPeriod })
        .catch(unlessThere);
      // The registry of namespaces is read now and then.
      await connection.workflowService.listWorkflowExecutions({ namespace: NAMESPACE, pageSize: 1 });
    } finally {
      await connection.close();
    }
  }, new AbortController().signal);
}

const ALREADY_EXISTS = 6;

function unlessThere(error: unknown): void {
  if ((error as { code?: number }).code !== ALREADY_EXISTS) throw error;
}

/** Succeeds when the frontend reads the databases. */
async function describesItself(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 2000 });
  try {
    await connection.workflowService.describeNamespace({ namespace: 'temporal-system' });
  } finally {
    await connection.close();
  }
}

/** As in infra/local/servers/temporal.ts. */
const SETTINGS = {
  'matching.numTaskqueueReadPartitions': [{ value: 1 }],
  'matching.numTaskqueueWritePartitions': [{ value: 1 }],
};

function configuration(at: {
  port: (name: string) => number;
  dynamicConfig: string;
  postgres: PostgresAddress;
}): object {
  const { host, port, user, password } = at.postgres;
  const store = (databaseName: string, maxConns: number): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `${host}:${port}`,
      connectProtocol: 'tcp',
      user,
      password,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const rpcPorts = (role: string): object => ({
    grpcPort: at.port(role),
    membershipPort: at.port(`${role}-membership`),
    bindOnIP: LOOPBACK,
    ...(role === 'frontend' && { httpPort: at.port('http') }),
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: { default: store('temporal', 10), visibility: store('temporal_visibility', 4) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: LOOPBACK } },
    services: Object.fromEntries(ROLES.map((role) => [role, { rpc: rpcPorts(role) }])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `${LOOPBACK}:${at.port('frontend')}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: at.dynamicConfig, pollInterval: '5s' },
  };
}
