/** The versions of the servers. A server that is not found is built from source or fetched. */
export const KUBERNETES_VERSION = '1.36.3';
export const ETCD_VERSION = '3.6.8';
export const TEMPORAL_CLI_VERSION = '1.5.1';
export const KAFKA_VERSION = '4.3.1';
export const HELM_VERSION = '3.22.0';

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

export type GoToolName = (typeof GO_TOOLS)[number]['name'];

const kubernetesTool = <const Name extends string>(name: Name, versionArgs = ['--version']) => ({
  name,
  version: KUBERNETES_VERSION,
  module: 'k8s.io/kubernetes',
  moduleVersion: `v${KUBERNETES_VERSION}`,
  program: `k8s.io/kubernetes/cmd/${name}`,
  linkerFlags: kubernetesVersionFlags(),
  stagingVersion: `v0.${KUBERNETES_VERSION.replace(/^1\./, '')}`,
  versionArgs,
  versionText: `v${KUBERNETES_VERSION}`,
});

export const GO_TOOLS = [
  kubernetesTool('kube-apiserver'),
  kubernetesTool('kube-controller-manager'),
  kubernetesTool('kube-scheduler'),
  kubernetesTool('kubectl', ['version', '--client']),
  {
    name: 'etcd',
    version: ETCD_VERSION,
    module: 'go.etcd.io/etcd/server/v3',
    moduleVersion: `v${ETCD_VERSION}`,
    program: 'go.etcd.io/etcd/server/v3',
    linkerFlags: [],
    versionArgs: ['--version'],
    versionText: `etcd Version: ${ETCD_VERSION}`,
  },
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
    // Only renders and checks the chart; no installation needs it.
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

/** Upstream sets these flags in its release builds; without them the server reports v0.0.0 and clients refuse it. */
function kubernetesVersionFlags(): string[] {
  const [major, minor] = KUBERNETES_VERSION.split('.');
  const values = {
    gitVersion: `v${KUBERNETES_VERSION}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
  };
  return Object.entries(values).flatMap(([key, value]) => [
    '-X',
    `k8s.io/component-base/version.${key}=${value}`,
  ]);
}
