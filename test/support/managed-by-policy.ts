import { renderChart } from '../../infra/deploy/manifests/chart.ts';
import { findTool } from '../../infra/local/tools/find-tool.ts';
import { eventually } from './eventually.ts';
import type { Kubectl } from './kubectl.ts';

/** The label of a namespace whose new Jobs get our manager by the chart's policy. */
export const MANAGED_LABEL = 'jobledger.dev/managed';

/** Installs the chart's policy; it takes effect a moment later (`newJobsName`). */
export async function installPolicy(kubectl: Kubectl): Promise<void> {
  const helm = await findTool('helm', { report: () => undefined, signal: new AbortController().signal });
  const values = { deploy: false, managedByPolicy: { enabled: true } };
  await kubectl.pipe(renderChart(helm, values, ['managed-by-policy.yaml']), 'apply', '-f', '-');
}

/** Waits until new Jobs of a namespace get this manager: a policy and a label take effect a moment after they are written. */
export async function newJobsName(kubectl: Kubectl, namespace: string, manager: string): Promise<void> {
  const args = ['create', 'job', 'trial', '--image=none', '-n', namespace, '--dry-run=server'];
  await eventually(`Jobs of ${namespace} get the manager "${manager}"`, 30, async () => {
    const found = await kubectl.run(...args, '-o', 'jsonpath={.spec.managedBy}');
    return found === manager ? true : undefined;
  });
}
