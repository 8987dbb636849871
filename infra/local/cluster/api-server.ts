import path from 'node:path';
import { plainEnvironment } from '../processes/child.ts';
import type { ChildSpec } from '../processes/keep-running.ts';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import { writePrivately } from '../state/files.ts';
import { LOOPBACK } from '../state/ports.ts';
import { STOP } from '../processes/stop-order.ts';
import { retryUntilResolved } from '../processes/until.ts';
import { requireHealthy } from './answers-healthy.ts';
import type { Credentials, KeyPairFiles } from './credentials.ts';
import { asFlags } from './flags.ts';

export interface ApiServerOptions {
  readonly name: string;
  readonly dir: string;
  readonly port: number;
  readonly etcdPort: number;
  readonly program: string;
  readonly credentials: Credentials;
  readonly etcd: { readonly authorityFile: string; readonly client: KeyPairFiles };
  /** The certificate authority of front proxies. */
  readonly proxyAuthorityFile: string;
  readonly serviceAccounts: { readonly privateFile: string; readonly publicFile: string };
  /**
   * The audit log, with one JSON line for each request of these users (audit.k8s.io/v1). If `users` is null, the
   * shipped policy selects the requests.
   */
  readonly audit?: { readonly file: string; readonly users: readonly string[] | null } | undefined;
  /** Further flags, e.g. `--etcd-compaction-interval=10s`. */
  readonly extraFlags?: readonly string[] | undefined;
}

/**
 * The process of kube-apiserver, with its flags and its readiness check.
 */ export async function apiServerSpec(at: ApiServerOptions): Promise<ChildSpec> {
  const health = { port: at.port, path: '/readyz', authorityFile: at.credentials.authorityFile };
  const flags = [
    ...asFlags({
      ...(await servingFlags(at)),
      ...(await identityFlags(at)),
      ...storageFlags(at),
      ...auditFlags(at),
    }),
    ...(at.extraFlags ?? []),
  ];
  return {
    name: at.name,
    ...STOP.apiServer,
    command: () => ({ file: at.program, args: flags, cwd: at.dir, env: plainEnvironment() }),
    ready: (_child, signal) => retryUntilResolved(() => requireHealthy(health), signal),
  };
}

type Flags = Record<string, string | number | boolean>;

async function servingFlags(at: ApiServerOptions): Promise<Flags> {
  const server = await at.credentials.serverFiles('kube-apiserver');
  return {
    'bind-address': LOOPBACK,
    'advertise-address': LOOPBACK,
    'secure-port': at.port,
    'tls-cert-file': server.certificate,
    'tls-private-key-file': server.key,
    'service-cluster-ip-range': '10.96.0.0/16',
    // No pod has its own network, so no pod looks for the API server behind a Service.
    'endpoint-reconciler-type': 'none',
    'shutdown-delay-duration': '0s',
    profiling: false,
  };
}

async function identityFlags(at: ApiServerOptions): Promise<Flags> {
  const kubelet = await at.credentials.clientFiles('kubelet-client', {
    commonName: 'kube-apiserver-kubelet-client',
  });
  return {
    'authorization-mode': 'RBAC',
    'client-ca-file': at.credentials.authorityFile,
    // No front proxy runs here, but controllers log an error every ten seconds unless this ConfigMap is published.
    'requestheader-client-ca-file': at.proxyAuthorityFile,
    // The admission plugin is off by default upstream but on in strict clusters; it reveals a missing right on
    // jobs/finalizers.
    'enable-admission-plugins': 'OwnerReferencesPermissionEnforcement',
    // Cluster installers set this flag because manifests may request privileged containers. The local node does not
    // isolate containers anyway.
    'allow-privileged': true,
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-signing-key-file': at.serviceAccounts.privateFile,
    'service-account-key-file': at.serviceAccounts.publicFile,
    'kubelet-client-certificate': kubelet.certificate,
    'kubelet-client-key': kubelet.key,
    'kubelet-certificate-authority': at.credentials.authorityFile,
    'kubelet-preferred-address-types': 'InternalIP',
  };
}

function storageFlags(at: ApiServerOptions): Flags {
  return {
    'etcd-servers': `https://${LOOPBACK}:${at.etcdPort}`,
    'etcd-cafile': at.etcd.authorityFile,
    'etcd-certfile': at.etcd.client.certificate,
    'etcd-keyfile': at.etcd.client.key,
  };
}

function auditFlags(at: ApiServerOptions): Flags {
  if (at.audit === undefined) return {};
  const { file, users } = at.audit;
  if (users === null)
    return {
      'audit-policy-file': path.join(PACKAGE_DIR, 'infra', 'deploy', 'kubernetes', 'audit-policy.yaml'),
      'audit-log-path': file,
      // The size in megabytes; older files are deleted.
      'audit-log-maxsize': 20,
      'audit-log-maxbackup': 2,
    };
  const policy = writePrivately(path.join(at.dir, 'audit-policy.yaml'), auditPolicy(users));
  return { 'audit-policy-file': policy, 'audit-log-path': file, 'audit-log-mode': 'blocking' };
}

/** Logs the users' requests and response statuses, without bodies. */
const auditPolicy = (users: readonly string[]): string => `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ${JSON.stringify(users)}
- level: None
`;
