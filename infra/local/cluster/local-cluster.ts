import path from 'node:path';
import {
  createKubernetesClient,
  type KubernetesClient,
} from '../../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../../services/adapters/kubernetes/connection.ts';
import type { GangFeatures } from '../tools/kubernetes-versions.ts';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import { writePrivately } from '../state/files.ts';
import { LOOPBACK } from '../state/ports.ts';
import type { Group, StartStep } from '../processes/start-groups.ts';
import { retryUntilResolved } from '../processes/until.ts';
import { OUR_USERS, SERVICE_ACCOUNTS, SHARED_ACCOUNT, type Account } from './accounts.ts';
import { apiServerSpec } from './api-server.ts';
import { applyManifests } from './apply-manifests.ts';
import { allControllersBut, controllerManagerSpec, schedulerSpec, UNTHROTTLED } from './controllers.ts';
import { openCredentials, serviceAccountKey, type Credentials } from './credentials.ts';
import type { Subject } from './certificates.ts';
import { etcdSpec } from './etcd.ts';
import { kubeconfigText, type KubeconfigEntry } from './kubeconfig.ts';
import { nodeAgentSpec } from './node-agent.ts';

export interface LocalClusterOptions {
  /** The name of the cluster and of its kubeconfig context. */
  readonly name: string;
  /** Default true. The built-in controller ignores Jobs that name another controller. */
  readonly builtInJobController?: boolean;
  /** Default true. The controller deletes finished Jobs after their `ttlSecondsAfterFinished`. */
  readonly builtInTtlController?: boolean;
  /** False for a cluster without the built-in CronJob controller. */
  readonly builtInCronJobController?: boolean;
  /**
   * True when the API server serves the API of Workloads and PodGroups, and the scheduler schedules the pods of a
   * PodGroup together.
   */
  readonly gangScheduling?: boolean;
  /** Default true. Adds a node that runs pods as plain processes. */
  readonly node?: boolean;
  /** Default true. `false`: only etcd and the API server run, and nothing schedules pods or creates service accounts. */
  readonly controllers?: boolean;
  /** A file that lists images whose files this host has; the cluster's node gets it as `NODE_AGENT_IMAGES`. */
  readonly images?: string;
  /** Writes an audit log of the requests of our services, or of these users, to `<stateDir>/logs/<name>-audit.log`. */
  readonly audit?: boolean | readonly string[];
  /**
   * The API server writes the audit log that the ingester follows (docs/operate/who.md), unless `audit` writes
   * another.
   */
  readonly followedAuditLog?: boolean;
  /** The etcd also answers JSON requests, with the API server's certificate (`etcd-keys.ts`). */
  readonly etcdAnswersHttp?: boolean;
  /** Further flags of kube-apiserver. */
  readonly apiServerFlags?: readonly string[];
}

export interface ClusterPrograms {
  readonly etcd: string;
  readonly apiServer: string;
  readonly scheduler: string;
  readonly controllerManager: string;
}

/** The parts of a cluster that need a port; each server is named `<cluster>-<part>`. */
export const CLUSTER_PORTS = [
  'etcd',
  'kube-apiserver',
  'kube-scheduler',
  'kube-controller-manager',
  'node-agent',
];

export interface LocalCluster {
  readonly steps: Group;
  readonly admin: KubeconfigEntry;
  /** The kubeconfig has the rights of all services. */
  readonly jobledger: KubeconfigEntry;
  /** The kubeconfig of each service, by its name. */
  readonly services: Readonly<Record<string, KubeconfigEntry>>;
  /** The audit log for the ingester; undefined when no log is written. */
  readonly followedAuditLog: string | undefined;
}

export interface ClusterPlace {
  /** The folder of this cluster. */
  readonly dir: string;
  readonly logsDir: string;
  readonly port: (part: string) => number;
  readonly programs: ClusterPrograms;
  /** The gates of this version of Kubernetes, when a cluster asks for them. */
  readonly gangs: GangFeatures | undefined;
  readonly signal: AbortSignal;
}

/** A Kubernetes control plane and a node, with their steps in start order. */
export async function planCluster(options: LocalClusterOptions, at: ClusterPlace): Promise<LocalCluster> {
  const serverName = (part: string): string => `${options.name}-${part}`;
  const credentials = await openCredentials(path.join(at.dir, 'pki'), serverName('cluster'));
  const entry = entryMaker(options.name, at.port('kube-apiserver'), credentials);
  const writeKubeconfig = async (name: string, subject: Subject): Promise<string> =>
    writePrivately(path.join(at.dir, `${name}.kubeconfig`), kubeconfigText([await entry(name, subject)]));
  const accounts = serviceAccountKey(path.join(at.dir, 'pki'));
  const adminEntry = await entry('admin', { commonName: 'jobledger-admin', groups: ['system:masters'] });
  const admin = adminClient(adminEntry, at.dir);

  const common = { dir: at.dir, credentials };
  const controllerOptions = async (part: string) => ({
    ...common,
    name: serverName(part),
    port: at.port(part),
    kubeconfig: await writeKubeconfig(part, { commonName: `system:${part}` }),
  });
  const gangs = options.gangScheduling === true ? at.gangs : undefined;
  const gates = gangs === undefined ? [] : [featureGates(gangs)];
  const controllerSteps = async (): Promise<StartStep[]> => [
    await controllerManagerSpec({
      ...(await controllerOptions('kube-controller-manager')),
      program: at.programs.controllerManager,
      serviceAccountKeyFile: accounts.privateFile,
      controllers: allControllersBut([
        ...(options.builtInJobController === false ? ['job-controller'] : []),
        ...(options.builtInTtlController === false ? ['ttl-after-finished-controller'] : []),
        ...(options.builtInCronJobController === false ? ['cronjob-controller'] : []),
      ]),
      extraFlags: [...UNTHROTTLED, ...gates],
    }),
    await schedulerSpec({
      ...(await controllerOptions('kube-scheduler')),
      program: at.programs.scheduler,
      extraFlags: gates,
    }),
  ];
  const nodeAndAccountSteps = async (): Promise<StartStep[]> => {
    const subject = { commonName: 'system:node:local', groups: ['system:nodes'] };
    const place = {
      ...(await controllerOptions('node-agent')),
      kubeconfig: await writeKubeconfig('node-agent', subject),
      admin,
      images: options.images,
    };
    const agent = options.node === false ? undefined : await nodeAgentSpec(place);
    return [
      ...(agent === undefined ? [] : [agent]),
      () => retryUntilResolved(() => requireDefaultAccount(admin), at.signal),
    ];
  };
  const accountEntry = ({ name, user, groups }: Account): Promise<KubeconfigEntry> =>
    entry(name, { commonName: user, groups });
  const audit = auditLogOf(options, at);
  return {
    admin: adminEntry,
    followedAuditLog: audit?.users === null ? audit.file : undefined,
    jobledger: await accountEntry(SHARED_ACCOUNT),
    services: Object.fromEntries(
      await Promise.all(
        Object.entries(SERVICE_ACCOUNTS).map(
          async ([service, account]) => [service, await accountEntry(account)] as const,
        ),
      ),
    ),
    steps: [
      ...(await storageAndApiSteps(options, at, { ...common, accounts, gangs })),
      [...(options.controllers === false ? [] : await controllerSteps()), () => applyOurManifests(admin)],
      ...(options.controllers === false ? [] : [await nodeAndAccountSteps()]),
    ],
  };
}

/** The steps that start etcd and then the API server. */
async function storageAndApiSteps(
  options: LocalClusterOptions,
  at: ClusterPlace,
  given: {
    dir: string;
    credentials: Credentials;
    accounts: { privateFile: string; publicFile: string };
    gangs: GangFeatures | undefined;
  },
): Promise<StartStep[][]> {
  // etcd has its own authority, so that a client of the API server cannot connect to its database.
  const storage = await openCredentials(path.join(at.dir, 'pki', 'etcd'), `${options.name}-etcd`);
  const proxy = await openCredentials(path.join(at.dir, 'pki', 'proxy'), `${options.name}-proxy`);
  const client = await storage.clientFiles('kube-apiserver', { commonName: 'kube-apiserver' });
  const etcd = await etcdSpec({
    name: `${options.name}-etcd`,
    dir: at.dir,
    port: at.port('etcd'),
    etcd: at.programs.etcd,
    credentials: storage,
    client,
    answersHttp: options.etcdAnswersHttp === true,
  });
  const api = await apiServerSpec({
    name: `${options.name}-kube-apiserver`,
    dir: at.dir,
    port: at.port('kube-apiserver'),
    etcdPort: at.port('etcd'),
    program: at.programs.apiServer,
    credentials: given.credentials,
    etcd: { authorityFile: storage.authorityFile, client },
    proxyAuthorityFile: proxy.authorityFile,
    serviceAccounts: given.accounts,
    audit: auditLogOf(options, at),
    extraFlags: [
      ...(given.gangs === undefined
        ? []
        : [featureGates(given.gangs), `--runtime-config=${given.gangs.api}=true`]),
      ...(options.apiServerFlags ?? []),
    ],
  });
  return [[etcd], [api]];
}

/** Every server accepts all of these gates: `GenericWorkload` enables the API, and the other gates depend on it. */
function featureGates({ gates }: GangFeatures): string {
  return `--feature-gates=${gates.map((gate) => `${gate}=true`).join(',')}`;
}

/** The file of the cluster's audit log and the users whose requests it records; undefined when no log is written. */
function auditLogOf(
  { name, audit, followedAuditLog }: LocalClusterOptions,
  { dir, logsDir }: Pick<ClusterPlace, 'dir' | 'logsDir'>,
): { file: string; users: readonly string[] | null } | undefined {
  if (audit === undefined || audit === false)
    return followedAuditLog === true ? { file: path.join(dir, 'audit.log'), users: null } : undefined;
  return { file: path.join(logsDir, `${name}-audit.log`), users: audit === true ? OUR_USERS : audit };
}

/** Returns a function that makes a kubeconfig entry of this cluster for a user. */
function entryMaker(
  context: string,
  port: number,
  credentials: Credentials,
): (user: string, subject: Subject) => Promise<KubeconfigEntry> {
  const server = `https://${LOOPBACK}:${port}`;
  return async (user, subject) => ({
    context,
    server,
    authority: credentials.authority,
    user,
    credentials: await credentials.client(subject),
  });
}

function adminClient(entry: KubeconfigEntry, dir: string): KubernetesClient {
  const kubeconfig = writePrivately(path.join(dir, 'admin.kubeconfig'), kubeconfigText([entry]));
  const [connection] = connectClusters({ kubeconfig, contexts: [entry.context] });
  if (connection === undefined) throw new Error('unreachable: one context gives one connection');
  return createKubernetesClient(connection);
}

export async function applyOurManifests(admin: KubernetesClient): Promise<void> {
  const shipped = ['namespace.yaml', 'rbac.yaml'].map((file) =>
    path.join(PACKAGE_DIR, 'infra', 'deploy', 'kubernetes', file),
  );
  const nodes = path.join(PACKAGE_DIR, 'infra', 'local', 'cluster', 'node-role.yaml');
  for (const file of [...shipped, nodes]) await applyManifests(admin, file);
}

/**
 * Succeeds when the default service account exists; without this account the API server admits no pod in the default
 * namespace.
 */
async function requireDefaultAccount(admin: KubernetesClient): Promise<void> {
  await admin.request({ method: 'GET', path: '/api/v1/namespaces/default/serviceaccounts/default' });
}
