import path from 'node:path';
import { findTool } from '../../tools/find-tool.ts';
import { gangsOf, type KubernetesMinor } from '../../tools/kubernetes-versions.ts';
import { writePrivately } from '../files.ts';
import { reservePorts } from '../ports.ts';
import type { StartPlan, PlanContext } from '../steps.ts';
import { SERVICE_ACCOUNTS } from './accounts.ts';
import { kubeconfigText, type KubeconfigEntry } from './kubeconfig.ts';
import {
  CLUSTER_PORTS,
  localCluster,
  type ClusterPrograms,
  type LocalCluster,
  type LocalClusterOptions,
} from './local-cluster.ts';
import { chooseKubernetes, storeVersions } from './versions.ts';

/** Plans the local clusters and writes kubeconfigs with a context for each cluster: the administrator's, that of all services, and each service's. */
export async function planClusters(
  options: readonly LocalClusterOptions[],
  context: PlanContext & { wantsKubectl: boolean },
): Promise<StartPlan> {
  const { state, signal, wantsKubectl } = context;
  const kubernetes = await chooseKubernetes(context);
  const gangs = options.some(({ gangScheduling }) => gangScheduling) ? gangsOf(kubernetes) : undefined;
  const programs = await findPrograms({ ...context, kubernetes });
  const kubectl = wantsKubectl ? await findTool('kubectl', { ...context, kubernetes }) : undefined;
  await storeVersions(state, kubernetes, programs.etcd);
  const names = options.flatMap(({ name }) => CLUSTER_PORTS.map((part) => `${name}-${part}`));
  const port = await reservePorts(state.at('ports.json'), names);
  const clusters = await Promise.all(
    options.map((cluster) =>
      localCluster(cluster, {
        dir: state.at('cluster', cluster.name),
        logsDir: state.at('logs'),
        port: (part) => port(`${cluster.name}-${part}`),
        programs,
        gangs,
        signal,
      }),
    ),
  );
  const write = (name: string, of: (cluster: LocalCluster) => KubeconfigEntry | undefined): string => {
    const entries = clusters.map(of).filter((entry) => entry !== undefined);
    return writePrivately(state.at('cluster', name), kubeconfigText(entries));
  };
  const ofService = (service: string): string =>
    write(`jobledger-${service}.kubeconfig`, ({ services }) => services[service]);
  return {
    groups: clusters.map((cluster) => cluster.steps),
    addresses: {
      adminKubeconfig: write('kubeconfig', ({ admin }) => admin),
      kubeconfig: write('jobledger.kubeconfig', ({ jobledger }) => jobledger),
      serviceKubeconfigs: Object.fromEntries(
        Object.keys(SERVICE_ACCOUNTS).map((service) => [service, ofService(service)]),
      ),
      contexts: options.map(({ name }) => name),
      ...(kubectl !== undefined && { kubectl: path.resolve(kubectl) }),
    },
  };
}

async function findPrograms(
  context: PlanContext & { kubernetes: KubernetesMinor },
): Promise<ClusterPrograms> {
  // One after another, because each build uses all cores.
  const etcd = await findTool('etcd', context);
  const apiServer = await findTool('kube-apiserver', context);
  const scheduler = await findTool('kube-scheduler', context);
  const controllerManager = await findTool('kube-controller-manager', context);
  return { etcd, apiServer, scheduler, controllerManager };
}
