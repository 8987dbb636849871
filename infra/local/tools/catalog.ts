import type { KubernetesVersion } from './kubernetes-versions.ts';

/** The versions of the other servers. A server that is not found is downloaded or built from source. */
export const TEMPORAL_CLI_VERSION = '1.5.1';
export const KAFKA_VERSION = '4.3.1';
export const HELM_VERSION = '3.22.0';
/**
 * Only the suite on real engines needs this server. This version is the newest version that the Go of CI builds: 1.32.2
 * needs Go 1.26.10.
 */
const TEMPORAL_SERVER_VERSION = '1.32.1';
/** Only the suite of integrations needs this server. */
const KUEUE_VERSION = '0.17.0';

export interface GoTool {
  readonly name: string;
  readonly version: string;
  /** The module that holds the program, and its version there. */
  readonly module: string;
  readonly moduleVersion: string;
  readonly program: string;
  readonly linkerFlags: readonly string[];
  /** The version of the modules that `module` requires as v0.0.0 because they live in the same repository. */
  readonly stagingVersion?: string;
  /** The arguments that print the version. A program on PATH is used only when its output contains `versionText`. */
  readonly versionArgs: readonly string[];
  readonly versionText: string;
}

export type GoToolName =
  | ReturnType<typeof goTools>[number]['name']
  | (typeof TOOLS_ON_DEMAND)[number]['name'];

/** The programs that are built from Go modules; for a control plane, in the given version. */
export function goTools(version: KubernetesVersion) {
  return [
    kubernetesTool('kube-apiserver', version),
    kubernetesTool('kube-controller-manager', version),
    kubernetesTool('kube-scheduler', version),
    kubernetesTool('kubectl', version, ['version', '--client']),
    etcdTool(version),
    ...OTHER_TOOLS,
  ] as const satisfies readonly GoTool[];
}

const OTHER_TOOLS = [
  {
    name: 'temporal',
    version: TEMPORAL_CLI_VERSION,
    module: 'github.com/temporalio/cli',
    moduleVersion: `v${TEMPORAL_CLI_VERSION}`,
    program: 'github.com/temporalio/cli/cmd/temporal',
    linkerFlags: ['-X', `github.com/temporalio/cli/temporalcli.Version=${TEMPORAL_CLI_VERSION}`],
    versionArgs: ['--version'],
    versionText: `temporal version ${TEMPORAL_CLI_VERSION} `,
  },
  {
    // The program only renders and checks the chart, and no installation needs it.
    name: 'helm',
    version: HELM_VERSION,
    module: 'helm.sh/helm/v3',
    moduleVersion: `v${HELM_VERSION}`,
    program: 'helm.sh/helm/v3/cmd/helm',
    linkerFlags: ['-X', `helm.sh/helm/v3/internal/version.version=v${HELM_VERSION}`],
    versionArgs: ['version', '--short'],
    versionText: `v${HELM_VERSION}`,
  },
] as const satisfies readonly GoTool[];

/**
 * The module of this program also contains the chart of Kueue. The program prints no version, so a program on PATH is
 * not used.
 */
export const KUEUE = {
  name: 'kueue',
  version: KUEUE_VERSION,
  module: 'sigs.k8s.io/kueue',
  moduleVersion: `v${KUEUE_VERSION}`,
  program: 'sigs.k8s.io/kueue/cmd/kueue',
  linkerFlags: [],
  versionArgs: ['--version'],
  versionText: KUEUE_VERSION,
} as const satisfies GoTool;

/**
 * Temporal's server as it runs in production, and Kueue. No installation and no test of CI needs them: their builds take
 * minutes.
 */
export const TOOLS_ON_DEMAND = [
  temporalServerTool('temporal-server', 'cmd/server', 'temporal'),
  temporalServerTool('temporal-sql-tool', 'cmd/tools/sql', 'temporal-sql-tool'),
  KUEUE,
] as const satisfies readonly GoTool[];

function temporalServerTool<const Name extends string>(name: Name, folder: string, calledItself: string) {
  return {
    name,
    version: TEMPORAL_SERVER_VERSION,
    module: 'go.temporal.io/server',
    moduleVersion: `v${TEMPORAL_SERVER_VERSION}`,
    program: `go.temporal.io/server/${folder}`,
    linkerFlags: [],
    versionArgs: ['--version'],
    versionText: `${calledItself} version ${TEMPORAL_SERVER_VERSION}`,
  };
}

function kubernetesTool<const Name extends string>(
  name: Name,
  { kubernetes }: KubernetesVersion,
  versionArgs = ['--version'],
) {
  return {
    name,
    version: kubernetes,
    module: 'k8s.io/kubernetes',
    moduleVersion: `v${kubernetes}`,
    program: `k8s.io/kubernetes/cmd/${name}`,
    linkerFlags: kubernetesVersionFlags(kubernetes),
    stagingVersion: `v0.${kubernetes.replace(/^1\./, '')}`,
    versionArgs,
    versionText: `v${kubernetes}`,
  };
}

function etcdTool({ etcd }: KubernetesVersion) {
  return {
    name: 'etcd' as const,
    version: etcd,
    module: 'go.etcd.io/etcd/server/v3',
    moduleVersion: `v${etcd}`,
    program: 'go.etcd.io/etcd/server/v3',
    linkerFlags: [],
    versionArgs: ['--version'],
    versionText: `etcd Version: ${etcd}`,
  };
}

/** Upstream sets these flags in its release builds; without them the server reports v0.0.0 and clients refuse it. */
function kubernetesVersionFlags(kubernetes: string): string[] {
  const [major, minor] = kubernetes.split('.');
  const values = {
    gitVersion: `v${kubernetes}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
  };
  return Object.entries(values).flatMap(([key, value]) => [
    '-X',
    `k8s.io/component-base/version.${key}=${value}`,
  ]);
}
