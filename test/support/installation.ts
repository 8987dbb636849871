import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import type { Client } from '@temporalio/client';
import type { LocalClusterOptions } from '../../infra/local/cluster/local-cluster.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import type { LocalServers } from '../../infra/local/local-servers.ts';
import type { ChildSpec } from '../../infra/local/processes/keep-running.ts';
import { createSupervisor, type Supervisor } from '../../infra/local/processes/supervisor.ts';
import { apiAccess } from '../../cli/verbs/up/api-access.ts';
import { SERVICES, serviceChildren, servicesTogether } from '../../cli/verbs/up/service-children.ts';
import { readConfig, temporalEnvironment } from '../../services/adapters/config.ts';
import { connectTemporal } from '../../services/adapters/temporal/connection.ts';
import type { Claim } from '../../workflows/kubernetes/names.ts';
import type { AuditEvent } from './audit-event.ts';
import { noteStarts } from './api-server-starts.ts';
import { connectTestCluster, type TestCluster } from './cluster.ts';
import type { AuditPart } from './shared-servers/control-planes.ts';
import { startServers, type TestServerOptions, type TestServers } from './shared-servers/start-servers.ts';
import { noteUsedRights } from './used-rights.ts';

/** A complete Jobledger on real servers, in its own state directory. */
export interface Installation {
  stateDir: string;
  servers: LocalServers;
  services: Supervisor;
  clusters: Record<string, TestCluster>;
  /** The first cluster. */
  cluster: TestCluster;
  environment: NodeJS.ProcessEnv;
  /** Where each service serves its metrics, by name. */
  metrics: Record<string, string>;
  /** Where the HTTP API is, and a token with all rights. */
  api: { url: string; token: string };
  sql<R>(text: string, values?: unknown[]): Promise<R[]>;
  temporal(): Promise<Client>;
  /** Without names: all of them, the API only when the options say so. Names need `separate`. */
  startServices(names?: readonly string[]): Promise<void>;
  haltServices(names?: readonly string[]): Promise<void>;
  /** Sends SIGKILL to a server or service, which is started again. Resolves when it has ended. */
  kill(name: string): Promise<void>;
  /** Resolves when it answers again. */
  answers(name: string): Promise<void>;
  /** Arms a fault point: the next service that reaches it ends as by `kill -9`. */
  faultFile: string;
  audit(cluster?: string): AuditEvent[];
  /** @throws when an API server rejected a status or denied us a right; the suite then fails. */
  stop(): Promise<void>;
}

export interface InstallOptions {
  /** Default: one, with its audit log. */
  clusters?: LocalClusterOptions[];
  /** Default `managed`. Under `all`, the default cluster's own Job controller is off, and tests set no `managedBy`. */
  claim?: Claim;
  /** `false`: the default cluster has no node, and the test plays the kubelet (`playKubelet`). */
  node?: boolean;
  environment?: Record<string, string>;
  /** Puts a proxy before the API servers: from the kubeconfig file of our services makes that of the proxy, for all of them. */
  proxied?: (kubeconfig: string) => Promise<string>;
  /** The HTTP API runs too. */
  api?: boolean;
  /** Each service is a process of its own, which a test can start, halt and kill. Default: all of them are one process, `services`. */
  separate?: boolean;
  /** Runs every service twice, as processes of their own; the second has `-2` after its name. */
  doubled?: boolean;
  /**
   * Has a Postgres, Kafka and Temporal for itself, which a test can kill and halt, and whose files are in the state
   * directory. Default: uses those of the run, with a database, topics and a namespace of its own.
   */
  ownServers?: boolean;
  /**
   * Has control planes for itself, which a test can kill, halt and wipe, and whose files are in the state directory. Default: as
   * `ownServers`. Those of the run are as new at the start: what an earlier file made in them is gone.
   */
  ownClusters?: boolean;
  /** Starts other servers than these. */
  start?: (options: TestServerOptions) => Promise<TestServers>;
}

export async function install({
  claim = 'managed',
  node = true,
  clusters: wanted = [{ name: 'local', node, builtInJobController: claim === 'managed' }],
  environment = {},
  proxied,
  api = false,
  doubled = false,
  separate = doubled,
  ownServers = false,
  ownClusters = ownServers,
  start = startServers,
}: InstallOptions = {}): Promise<Installation> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-test-'));
  const clusters = wanted.map((each) => ({ audit: true, ...each }));
  const lines: string[] = [];
  const report = (line: string): void => void lines.push(line);
  const wantedServers = { postgres: true, kafka: true, temporal: true, clusters };
  const started = await start({ stateDir, ...wantedServers, ownServers, ownClusters });
  const { servers, isStarting } = noteStarts(started.servers);
  const { addresses } = servers;
  const services = createSupervisor({
    runDir: join(stateDir, 'run', 'services'),
    logsDir: join(stateDir, 'logs'),
    report,
  });
  const faultFile = join(stateDir, 'fault');
  const at = (...parts: string[]): string => join(stateDir, ...parts);
  const access = await apiAccess({ apiWithoutTokens: false }, { at }, {});
  const variables = {
    ...process.env,
    ...started.environment,
    JOBLEDGER_KUBECONFIG: (await proxied?.(addresses.kubeconfig ?? '')) ?? addresses.kubeconfig,
    JOBLEDGER_CONTEXTS: clusters.map(({ name }) => name).join(','),
    JOBLEDGER_FAULT_FILE: faultFile,
    JOBLEDGER_STATE_DIR: stateDir,
    JOBLEDGER_CLAIM: claim,
    ...access.environment,
    ...environment,
  };
  const portName = (service: string): string => `${service}-metrics`;
  const port = await reservePorts(join(stateDir, 'ports.json'), SERVICES.map(portName));
  const metrics = Object.fromEntries(SERVICES.map((name) => [name, `${LOOPBACK}:${port(portName(name))}`]));
  const accounts = proxied === undefined ? addresses.serviceKubeconfigs : undefined;
  const own = { metrics, kubeconfigs: accounts };
  const isUsed = (name: string): boolean => api || !name.startsWith('api');
  const separated = (): ChildSpec[] => {
    const specs = serviceChildren(variables, own);
    if (!doubled) return specs;
    const second = { ...variables, JOBLEDGER_API_ADDRESS: `${LOOPBACK}:0` };
    const others = serviceChildren(second, { kubeconfigs: accounts });
    return [...specs, ...others.map((spec) => ({ ...spec, name: `${spec.name}-2` }))];
  };
  const logsDir = join(stateDir, 'logs');
  const all = separate
    ? separated()
    : [servicesTogether(variables, { ...own, names: SERVICES.filter(isUsed), logsDir })];
  const chosen = (names: readonly string[] | undefined): ChildSpec[] => {
    if (names === undefined) return all.filter(({ name }) => isUsed(name));
    if (!separate) throw new Error('the services are one process: install them with { separate: true }');
    return all.filter(({ name }) => names.includes(name));
  };
  const pool = new Pool({ connectionString: addresses.databaseUrl ?? '', max: 4 });
  pool.on('error', () => undefined);
  const connected = Object.fromEntries(
    clusters.map(({ name }) => [name, connectTestCluster(addresses.adminKubeconfig ?? '', name, claim)]),
  );
  const [first] = Object.values(connected);
  if (first === undefined) throw new Error('an installation needs a cluster');
  const readAuditLog = (name: string): AuditEvent[] =>
    readAudit(started.auditLogs?.[name] ?? { file: join(stateDir, 'logs', `${name}-audit.log`), from: 0 });
  const isServer = (name: string): boolean =>
    servers.names.includes(name) || clusters.some((each) => name.startsWith(`${each.name}-`));
  return {
    stateDir,
    servers,
    services,
    clusters: connected,
    cluster: first,
    environment: variables,
    metrics,
    api: { url: `http://${access.address}`, token: readFileSync(access.token ?? '', 'utf8').trim() },
    faultFile,
    sql: async <R>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as R[],
    temporal: () => connectTemporal(readConfig(temporalEnvironment, started.environment)),
    startServices: async (names) =>
      void (await Promise.all(chosen(names).map((spec) => services.start(spec)))),
    haltServices: async (names) =>
      void (await Promise.all(chosen(names).map(({ name }) => services.halt(name)))),
    kill: (name) => (isServer(name) ? servers.kill(name) : services.kill(name)),
    answers: (name) => (isServer(name) ? servers.answers(name) : services.answers(name)),
    audit: (cluster = clusters[0]?.name ?? '') => readAuditLog(cluster),
    async stop() {
      await pool.end();
      await services.stop();
      // A shared control plane is given back with the servers.
      const audits = clusters.map(({ name }) => ({ name, events: readAuditLog(name) }));
      await servers.stop();
      for (const { events } of audits) noteUsedRights(events);
      const refused = audits.flatMap(({ name, events }) =>
        events.filter((event) => isRefused(event) && !isStarting(name, event.requestReceivedTimestamp)),
      );
      rmSync(stateDir, { recursive: true, force: true });
      if (refused.length > 0) throw new Error(`refused: ${refused.map(asText).join('; ')}`);
    },
  };
}

function readAudit({ file, from }: AuditPart): AuditEvent[] {
  if (!existsSync(file)) return [];
  return readFileSync(file)
    .subarray(from)
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditEvent);
}

/** A status write answered with 404, 409 or 429 was not rejected. */
function isRefused({ verb, requestURI, objectRef, responseStatus, annotations }: AuditEvent): boolean {
  const code = responseStatus?.code ?? 0;
  const isStatus = objectRef?.resource === 'jobs' && objectRef.subresource === 'status';
  const isRejected = isStatus && code >= 400 && code < 500 && ![404, 409, 429].includes(code);
  // The ingester asks in this way which optional resources it may read.
  const isQuestion = verb === 'list' && requestURI.endsWith('?limit=1');
  return isRejected || (annotations?.['authorization.k8s.io/decision'] === 'forbid' && !isQuestion);
}

function asText({ verb, requestURI, responseStatus }: AuditEvent): string {
  return `${verb} ${requestURI} ${responseStatus?.code}`;
}
