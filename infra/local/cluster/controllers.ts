import { plainEnvironment } from '../../processes/child.ts';
import type { ChildSpec } from '../../processes/keep-running.ts';
import { LOOPBACK } from '../ports.ts';
import { STOP } from '../stop-order.ts';
import { until } from '../until.ts';
import { answersHealthy } from './answers-healthy.ts';
import type { Credentials } from './credentials.ts';
import { asFlags } from './flags.ts';

interface ControllerOptions {
  readonly name: string;
  readonly dir: string;
  readonly port: number;
  readonly program: string;
  readonly kubeconfig: string;
  readonly credentials: Credentials;
}

export function scheduler(at: ControllerOptions): ChildSpec {
  return controller(at, 'kube-scheduler', []);
}

export function controllerManager(
  at: ControllerOptions & {
    readonly serviceAccountKeyFile: string;
    readonly withoutControllers: readonly string[];
  },
): ChildSpec {
  const off = [...WITHOUT_CLOUD_OR_VOLUMES, ...at.withoutControllers];
  const flags = {
    controllers: ['*', ...off.map((name) => `-${name}`)].join(','),
    'service-account-private-key-file': at.serviceAccountKeyFile,
    'root-ca-file': at.credentials.authorityFile,
    'use-service-account-credentials': true,
    // Benchmarks compare the built-in Job controller with ours, so its client must not throttle it (defaults 20 and 30).
    'kube-api-qps': 1000,
    'kube-api-burst': 2000,
  };
  return controller(at, 'kube-controller-manager', asFlags(flags));
}

/** Controllers that need a cloud, a network or a disk, which a local node does not have. */
const WITHOUT_CLOUD_OR_VOLUMES = [
  'cloud-node-lifecycle-controller',
  'node-ipam-controller',
  'node-route-controller',
  'service-lb-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
];

function controller(at: ControllerOptions, certificateName: string, more: readonly string[]): ChildSpec {
  const server = at.credentials.serverFiles(certificateName);
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
    ready: (_child, signal) => until(() => answersHealthy(health), signal),
  };
}
