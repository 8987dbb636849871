import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { publishedAddresses } from '../../infra/local/state/addresses.ts';
import { kafkaEnvironment, readConfig, temporalEnvironment } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { connectTemporal } from '../../services/adapters/temporal/connection.ts';
import { connectTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { ledgerTopics } from '../support/shared-servers/own-topics.ts';
import { RUN_SERVERS_VARIABLE } from '../support/shared-servers/serve-run.ts';
import {
  startServers,
  type ServerEnvironment,
  type TestServerOptions,
  type TestServers,
} from '../support/shared-servers/start-servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-shared-servers-'));
const ALL = { postgres: true, kafka: true, temporal: true };

/** Starts servers as a test file does. */
function start(options: Omit<TestServerOptions, 'stateDir'>): Promise<TestServers> {
  return startServers({ stateDir: mkdtempSync(join(folder, 'file-')), ...options });
}

let one: TestServers;
let other: TestServers;

beforeAll(async () => {
  [one, other] = await Promise.all([start(ALL), start(ALL)]);
}, 120_000);
afterAll(async () => {
  await Promise.all([one?.servers.stop(), other?.servers.stop()]);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

async function readRows<R>(url: string | undefined, text: string): Promise<R[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows as R[];
  } finally {
    await client.end();
  }
}

async function topicsIn(environment: ServerEnvironment): Promise<string[]> {
  const { kafka, topics } = connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
  const admin = kafka.admin();
  await admin.connect();
  const found = await ledgerTopics(admin, [topics.ledger]);
  await admin.disconnect();
  return found;
}

async function listWorkflows(environment: ServerEnvironment): Promise<string[]> {
  const client = await connectTemporal(readConfig(temporalEnvironment, environment));
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list()) ids.push(workflowId);
  await client.connection.close();
  return ids;
}

/** Creates data in each server. */
async function use(environment: ServerEnvironment): Promise<void> {
  await readRows(environment.DATABASE_URL, 'create table jobledger.of_one ()');
  const connection = connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
  await ensureTopics(connection, new AbortController().signal);
  const client = await connectTemporal(readConfig(temporalEnvironment, environment));
  await client.workflow.start('nothing', { workflowId: 'of-one', taskQueue: 'nobody' });
  await client.connection.close();
}

const ofOne = (url: string | undefined): Promise<unknown[]> =>
  readRows(url, `select from pg_class where relname = 'of_one'`);

describe('the test files of a test run', () => {
  const databaseHost = (url = ''): string => new URL(url).host;

  it('share Postgres, Kafka and Temporal', () => {
    const [a, b] = [one.environment, other.environment];
    expect(databaseHost(b.DATABASE_URL)).toBe(databaseHost(a.DATABASE_URL));
    expect(b.KAFKA_BROKERS).toBe(a.KAFKA_BROKERS);
    expect(b.TEMPORAL_ADDRESS).toBe(a.TEMPORAL_ADDRESS);
    expect(one.servers.names).toEqual([]);
  });

  it('see no tables, topics and workflows of each other', async () => {
    await use(one.environment);
    expect(await ofOne(one.environment.DATABASE_URL)).toHaveLength(1);
    expect(await ofOne(other.environment.DATABASE_URL)).toEqual([]);
    expect(await topicsIn(one.environment)).toHaveLength(4);
    expect(await topicsIn(other.environment)).toEqual([]);
    expect(await listWorkflows(other.environment)).toEqual([]);
  }, 60_000);

  it('leave no database and no topics behind', async () => {
    const third = await start(ALL);
    await use(third.environment);
    const left = await readRows<{ name: string }>(
      third.environment.DATABASE_URL,
      'select current_database() as name',
    );
    await third.servers.stop();
    // A broker answers the deletion of topics before the topics have disappeared from its list.
    await eventually('no topic is left', 30, async () => {
      const topics = await topicsIn(third.environment);
      return topics.length === 0 ? topics : undefined;
    });
    const text = `select from pg_database where datname = '${left[0]?.name}'`;
    expect(await readRows(other.environment.DATABASE_URL, text)).toEqual([]);
    expect(await ofOne(other.environment.DATABASE_URL)).toEqual([]);
  }, 60_000);

  it('find the schema in their databases, unless they request an empty database', async () => {
    const schemas = `select from pg_namespace where nspname = 'jobledger'`;
    expect(await readRows(one.environment.DATABASE_URL, schemas)).toHaveLength(1);
    const empty = await start({ postgres: true, database: 'empty' });
    expect(await readRows(empty.environment.DATABASE_URL, schemas)).toEqual([]);
    await empty.servers.stop();
  }, 60_000);
});

describe('a test file with its own servers', () => {
  it('does not use the shared Postgres, and can stop its own', async () => {
    const own = await start({ postgres: true, ownServers: true });
    expect(own.servers.names).toEqual(['postgres']);
    expect(databaseHost(own)).not.toBe(databaseHost(one));
    await own.servers.stop();
  }, 60_000);

  const databaseHost = ({ environment }: TestServers): string => new URL(environment.DATABASE_URL ?? '').host;
});

describe('test files that borrow a control plane of the test run', () => {
  const CLUSTER = { name: 'local', node: false, builtInJobController: false };
  const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const lend = (): Promise<TestServers> => start({ clusters: [CLUSTER] });
  const connectToCluster = ({ servers }: TestServers): TestCluster =>
    connectTestCluster(servers.addresses.adminKubeconfig ?? '', 'local', 'all');
  const readServer = ({ servers }: TestServers): string =>
    /"server": "([^"]*)"/.exec(readFileSync(servers.addresses.adminKubeconfig ?? '', 'utf8'))?.[1] ?? '';

  it('find no object that an earlier file has created', async () => {
    const first = await lend();
    const server = readServer(first);
    const cluster = connectToCluster(first);
    const team = await cluster.inNewNamespace('team');
    await team.createPod('held', { finalizers: ['example.com/held'] });
    await cluster.createJob('held', { suspend: true }, { metadata: {} });
    await cluster.patchJob('held', { metadata: { finalizers: ['example.com/held'] } });
    await cluster.client.request({ method: 'POST', path: ROLES, body: { metadata: { name: 'of-first' } } });
    await first.servers.stop();
    const second = await lend();
    const names = async (path: string): Promise<string[]> => {
      const { items } = await connectToCluster(second).client.request<{
        items: { metadata: { name: string } }[];
      }>({
        method: 'GET',
        path,
      });
      return items.map(({ metadata }) => metadata.name);
    };
    expect(readServer(second)).toBe(server);
    expect(await names('/api/v1/pods')).toEqual([]);
    expect(await names('/apis/batch/v1/jobs')).toEqual([]);
    expect(await names('/api/v1/namespaces')).not.toContain('team');
    expect(await names(ROLES)).not.toContain('of-first');
    await second.servers.stop();
  }, 120_000);

  it('receive another control plane when an earlier file has changed existing objects', async () => {
    const first = await lend();
    const server = readServer(first);
    await connectToCluster(first).client.request({ method: 'DELETE', path: `${ROLES}/jobledger-worker` });
    await first.servers.stop();
    const second = await lend();
    expect(readServer(second)).not.toBe(server);
    await second.servers.stop();
  }, 120_000);

  it('get separate control planes when they run at the same time, and cannot stop them', async () => {
    const [first, second] = await Promise.all([lend(), lend()]);
    expect(readServer(second)).not.toBe(readServer(first));
    await expect(first.servers.halt('local-etcd')).rejects.toThrow('{ ownClusters: true }');
    await Promise.all([first.servers.stop(), second.servers.stop()]);
  }, 120_000);
});

describe('the HTTP server that lends the shared servers', () => {
  it('announces no end of idle connections, so that no request of a test file is lost', async () => {
    const response = await fetch(`${process.env[RUN_SERVERS_VARIABLE]}/nothing`);
    expect(response.status).toBe(404);
    expect(response.headers.get('connection')).toBe('keep-alive');
    // In this header, a server would announce when it ends an idle connection.
    expect(response.headers.get('keep-alive')).toBeNull();
  });
});

describe('a shared server that has failed', () => {
  it('makes each test file that requests it fail with the reason', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(500).end('the shared kafka does not run: kafka ended 5 times within a minute');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = process.env[RUN_SERVERS_VARIABLE];
    process.env[RUN_SERVERS_VARIABLE] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const stateDir = mkdtempSync(join(folder, 'file-'));
      await expect(startServers({ stateDir, kafka: true })).rejects.toThrow(
        'the shared kafka does not run: kafka ended 5 times within a minute',
      );
      expect(publishedAddresses(stateDir)).toBeUndefined();
    } finally {
      process.env[RUN_SERVERS_VARIABLE] = url;
      server.close();
    }
  });
});
