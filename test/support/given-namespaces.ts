import { renderChart } from '../../infra/deploy/manifests/chart.ts';
import { findTool } from '../../infra/local/tools/find-tool.ts';
import type { TestCluster } from './cluster.ts';
import { install, type Installation } from './installation.ts';
import { kubectlFor, type Kubectl } from './kubectl.ts';

const RIGHTS = ['accounts.yaml', 'rights-in-the-cluster.yaml'];

export interface GivenNamespaces {
  installation: Installation;
  kubectl: Kubectl;
  /** The Roles of the chart. */
  manifests: string;
  /** The cluster, once for each given namespace. */
  teams: TestCluster[];
  /** The cluster in the namespace `team-c`, which is not given, with a Job `not-ours`. */
  other: TestCluster;
}

/**
 * An installation for Jobs and CronJobs in these namespaces. Its services have exactly the Roles that the chart gives for them, and no
 * right in the whole cluster.
 */
export async function installInNamespaces(given: readonly string[]): Promise<GivenNamespaces> {
  const installation = await install({
    separate: true,
    claim: 'all',
    clusters: [{ name: 'local', builtInJobController: false, builtInCronJobController: false }],
    environment: { JOBLEDGER_NAMESPACES: given.join(','), JOBLEDGER_CONTROLLERS: 'job,cronjob' },
    api: true,
  });
  const kubectl = kubectlFor(installation);
  const { cluster } = installation;
  const [manifests, teams, other] = await Promise.all([
    renderRoles(given),
    Promise.all(given.map((name) => cluster.inNewNamespace(name))),
    cluster.inNewNamespace('team-c'),
    deleteRights(kubectl),
  ]);
  await kubectl.pipe(manifests, 'apply', '-f', '-');
  await other.createJob('not-ours', {}, {});
  await installation.startServices();
  return { installation, kubectl, manifests, teams, other };
}

async function renderRoles(namespaces: readonly string[]): Promise<string> {
  const helm = await findTool('helm', { report: () => undefined, signal: new AbortController().signal });
  const values = {
    deploy: false,
    namespaces,
    claim: 'all',
    controllers: ['job', 'cronjob'],
    api: { submit: true },
  };
  return renderChart(helm, values, RIGHTS);
}

/** Deletes the rights that a local cluster gives the accounts of Jobledger. */
async function deleteRights(kubectl: Kubectl): Promise<void> {
  const names = ['', '-ingester', '-worker', '-api'].map((end) => `jobledger${end}`);
  const deleted = (kind: string, ...where: string[]): Promise<string> =>
    kubectl.run('delete', kind, ...names, '--ignore-not-found', ...where);
  await Promise.all([
    deleted('clusterrolebindings'),
    deleted('clusterroles'),
    deleted('rolebindings', '-n', 'jobledger'),
    deleted('roles', '-n', 'jobledger'),
  ]);
}
