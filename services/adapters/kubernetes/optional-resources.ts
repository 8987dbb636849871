import type { OptionalResource } from '../../../workflows/ledger/cluster-events.ts';

/** The resources that are recorded only where the account of the ingester may read them, with the advice for the operator. */
export const OPTIONAL_RESOURCES: Readonly<Record<OptionalResource, string>> = {
  cronjobs:
    'CronJobs are not recorded, because the account of the ingester may not read them: set recordCronJobs in the chart (docs/operate/install.md)',
  events:
    'Kubernetes Events about Jobs and pods are not recorded, because the account of the ingester may not read them: set recordEvents in the chart (docs/operate/kubernetes-events.md)',
  nodes:
    'Nodes are not recorded, because the account of the ingester may not read them: set recordNodes in the chart (docs/operate/install.md)',
};
