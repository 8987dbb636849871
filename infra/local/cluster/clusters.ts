import path from 'node:path';
import { findAll, type WantedServer } from '../tools/find-all.ts';
import { wantedTool } from '../tools/find-tool.ts';
import { gangFeatures, type KubernetesMinor } from '../tools/kubernetes-versions.ts';
import { writePrivately } from '../state/files.ts';
import { reservePorts } from '../state/ports.ts';
import type { StartPlan, PlanContext } from '../state/start-plan.ts';
import { SERVICE_ACCOUNTS } from './accounts.ts';
import { kubeconfigText, type KubeconfigEntry } from './kubeconfig.ts';
import { CLUSTER_PORTS, planCluster, type LocalCluster, type LocalClusterOptions } from './local-cluster.ts';
import { chooseKubernetes, storeVersions } from './versions.ts';

const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-scheduler', 'kube-controller-manager'] as const;

/**
 * The version of the clusters of a state directory, and the programs that they need; the last program is kubectl, if
 * the caller needs it.
 */
export interface ClusterServers {
  kubernetes: KubernetesMinor;
  wanted: readonly WantedServer[];
}

export async function clusterPrograms(
  context: PlanContext & { wantsKubectl: boolean },
): Promise<ClusterServers> {
  const kubernetes = await chooseKubernetes(context);
  const names = [...PROGRAMS, ...(context.wantsKubectl ? (['kubectl'] as const) : [])];
  return { kubernetes, wanted: names.map((name) => wantedTool(name, kubernetes)) };
}

/**
 * Plans the local clusters, and writes kubeconfigs with a context for each cluster: for the administrator, for all
 * services, and for each service.
 */
export async function planClusters(
  options: readonly LocalClusterOptions[],
  context: PlanContext & ClusterServers,
): Promise<StartPlan> {
  const { state, signal, kubernetes, wanted } = context;
  const gangs = options.some(({ gangScheduling }) => gangScheduling) ? gangFeatures(kubernetes) : undefined;
  const [etcd = '', apiServer = '', scheduler = '', controllerManager = '', kubectl] = await findAll(
    wanted,
    context,
  );
  const programs = { etcd, apiServer, scheduler, controllerManager };
  await storeVersions(state, kubernetes, programs.etcd);
  const names = options.flatMap(({ name }) => CLUSTER_PORTS.map((part) => `${name}-${part}`));
  const port = await reservePorts(state.at('ports.json'), names);
  const clusters = await Promise.all(
    options.map((cluster) =>
      planCluster(cluster, {
        dir: state.at('cluster', cluster.name),
        logsDir: state.at('logs'),
        port: (part) => port(`${cluster.name}-${part}`),
        programs,
        gangs,
        signal,
      }),
    ),
  );
  const writeKubeconfig = (
    name: string,
    of: (cluster: LocalCluster) => KubeconfigEntry | undefined,
  ): string => {
    const entries = clusters.map(of).filter((entry) => entry !== undefined);
    return writePrivately(state.at('cluster', name), kubeconfigText(entries));
  };
  const writeServiceKubeconfig = (service: string): string =>
    writeKubeconfig(`jobledger-${service}.kubeconfig`, ({ services }) => services[service]);
  return {
    groups: clusters.map((cluster) => cluster.steps),
    addresses: {
      adminKubeconfig: writeKubeconfig('kubeconfig', ({ admin }) => admin),
      kubeconfig: writeKubeconfig('jobledger.kubeconfig', ({ jobledger }) => jobledger),
      serviceKubeconfigs: Object.fromEntries(
        Object.keys(SERVICE_ACCOUNTS).map((service) => [service, writeServiceKubeconfig(service)]),
      ),
      contexts: options.map(({ name }) => name),
      auditLogs: Object.fromEntries(
        options.flatMap(({ name }, at) => {
          const file = clusters[at]?.followedAuditLog;
          return file === undefined ? [] : [[name, path.resolve(file)] as const];
        }),
      ),
      ...(kubectl !== undefined && { kubectl: path.resolve(kubectl) }),
    },
  };
}
