import { rmSync } from 'node:fs';
import path from 'node:path';
import { SHARED_ACCOUNT } from '../../../../infra/local/cluster/accounts.ts';
import { startLocalServers, type LocalServers } from '../../../../infra/local/local-servers.ts';
import { createSupervisor } from '../../../../infra/local/processes/supervisor.ts';
import {
  createKubernetesClient,
  type KubernetesClient,
} from '../../../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../../../services/adapters/kubernetes/connection.ts';
import { fakeNode } from '../../../support/fake-node/fake-node.ts';
import type { MeasuredProcess } from '../meters/processes.ts';

/** The name of the cluster, and of its kubeconfig context. */
export const CLUSTER = 'bench';
/** The node that all pods of the benchmark name in their template, so that no scheduler is measured. */
export const NODE_NAME = 'bench';
/** The user name of the built-in Job controller. */
export const BUILT_IN_USER = 'system:serviceaccount:kube-system:job-controller';

/** etcd, an API server and a node that only answers pods: what both sides have in common. */
export interface ControlPlane {
  readonly stateDir: string;
  /** The administrator's client. */
  readonly admin: KubernetesClient;
  readonly adminKubeconfig: string;
  /** The kubeconfig of our services, with the rights of the shipped RBAC. */
  readonly kubeconfig: string;
  /** The audit log of both controllers' requests. */
  readonly auditFile: string;
  processes(): MeasuredProcess[];
  stop(): Promise<void>;
}

/** No scheduler and no other controller runs: pods name their node, and the benchmark makes what else is needed. */
export async function startControlPlane(
  stateDir: string,
  report: (line: string) => void,
): Promise<ControlPlane> {
  const cluster = {
    name: CLUSTER,
    controllers: false,
    audit: [SHARED_ACCOUNT.user, BUILT_IN_USER],
    // One file, because positions in it mark the rounds.
    apiServerFlags: ['--audit-log-maxsize=100000'],
  };
  const servers = await startLocalServers({ stateDir, clusters: [cluster], report });
  const { adminKubeconfig = '', kubeconfig = '' } = servers.addresses;
  const node = createSupervisor({
    runDir: path.join(stateDir, 'run', 'services'),
    logsDir: path.join(stateDir, 'logs'),
    report,
  });
  const nodeSpec = fakeNode({ kubeconfig: adminKubeconfig, name: NODE_NAME, mode: 'succeed' });
  await node.start(nodeSpec);
  const [connection] = connectClusters({ kubeconfig: adminKubeconfig, contexts: [CLUSTER] });
  if (connection === undefined) throw new Error('unreachable: one context gives one connection');
  return {
    stateDir,
    admin: createKubernetesClient(connection),
    adminKubeconfig,
    kubeconfig,
    auditFile: path.join(stateDir, 'logs', `${CLUSTER}-audit.log`),
    processes: () => [
      ...measuredServers(servers),
      { name: nodeSpec.name, pid: node.pid(nodeSpec.name) ?? 0 },
    ],
    async stop() {
      await node.stop();
      await servers.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

function measuredServers(servers: LocalServers): MeasuredProcess[] {
  return servers.names.map((name) => ({
    name: name.replace(`${CLUSTER}-`, ''),
    pid: servers.pid(name) ?? 0,
  }));
}
