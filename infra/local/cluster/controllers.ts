import { plainEnvironment } from '../processes/child.ts';
import type { ChildSpec } from '../processes/keep-running.ts';
import { LOOPBACK } from '../state/ports.ts';
import { STOP } from '../processes/stop-order.ts';
import { retryUntilResolved } from '../processes/until.ts';
import { requireHealthy } from './answers-healthy.ts';
import type { Credentials } from './credentials.ts';
import { asFlags } from './flags.ts';

interface ControllerOptions {
  readonly name: string;
  readonly dir: string;
  readonly port: number;
  readonly program: string;
  readonly kubeconfig: string;
  readonly credentials: Credentials;
  /** Further flags, e.g. `--concurrent-job-syncs=50`. */
  readonly extraFlags?: readonly string[];
}

/** The process of kube-scheduler. */
export function schedulerSpec(at: ControllerOptions): Promise<ChildSpec> {
  return controllerSpec(at, 'kube-scheduler', at.extraFlags ?? []);
}

/** The process of kube-controller-manager. */
export function controllerManagerSpec(
  at: ControllerOptions & {
    readonly serviceAccountKeyFile: string;
    /**
     * The names have the format of `--controllers`: a name selects a controller, `*` selects all, and `-name` excludes
     * the named controller.
     */
    readonly controllers: readonly string[];
  },
): Promise<ChildSpec> {
  const flags = {
    controllers: at.controllers.join(','),
    'service-account-private-key-file': at.serviceAccountKeyFile,
    'root-ca-file': at.credentials.authorityFile,
    'use-service-account-credentials': true,
  };
  return controllerSpec(at, 'kube-controller-manager', [...asFlags(flags), ...(at.extraFlags ?? [])]);
}

/** The controllers that a local cluster runs. */
export function allControllersBut(names: readonly string[]): string[] {
  return ['*', ...[...WITHOUT_NETWORK_OR_VOLUMES, ...names].map((name) => `-${name}`)];
}

/** The client does not throttle the controllers (defaults 20 and 30). */
export const UNTHROTTLED = ['--kube-api-qps=1000', '--kube-api-burst=2000'];

/**
 * Controllers that need a network or a disk of the node, which a local node does not have. The controllers of clouds
 * have no effect, or do not exist (from 1.37 on).
 */
const WITHOUT_NETWORK_OR_VOLUMES = [
  'node-ipam-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
];

async function controllerSpec(
  at: ControllerOptions,
  certificateName: string,
  more: readonly string[],
): Promise<ChildSpec> {
  const server = await at.credentials.serverFiles(certificateName);
  const flags = {
    kubeconfig: at.kubeconfig,
    'leader-elect': false,
    'bind-address': LOOPBACK,
    'secure-port': at.port,
    'tls-cert-file': server.certificate,
    'tls-private-key-file': server.key,
    'authentication-kubeconfig': at.kubeconfig,
    'authorization-kubeconfig': at.kubeconfig,
  };
  const health = { port: at.port, path: '/healthz', authorityFile: at.credentials.authorityFile };
  return {
    name: at.name,
    ...STOP.server,
    command: () => ({
      file: at.program,
      args: [...asFlags(flags), ...more],
      cwd: at.dir,
      env: plainEnvironment(),
    }),
    ready: (_child, signal) => retryUntilResolved(() => requireHealthy(health), signal),
  };
}
