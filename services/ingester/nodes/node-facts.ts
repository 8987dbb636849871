import type { NodeFacts } from '../../../workflows/ledger/nodes.ts';
import type { ApiObject } from '../../adapters/kubernetes/watch.ts';

/** The parts of a node object that are read. */
export interface WatchedNode extends ApiObject {
  metadata: ApiObject['metadata'] & { labels?: Record<string, string>; creationTimestamp?: string };
  status?: { capacity?: Record<string, string> };
}

const REGION = 'topology.kubernetes.io/region';
const ZONE = 'topology.kubernetes.io/zone';
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
/** The labels with the product of a node's GPUs, by vendor. */
const GPU_PRODUCT = ['nvidia.com/gpu.product', 'amd.com/gpu.product-name', 'gpu.intel.com/product'];
/**
 * The labels with the type of capacity, and their values for spot capacity: Karpenter, EKS, AKS, and GKE, which sets its
 * labels only on spot and preemptible nodes.
 */
const CAPACITY_TYPE: Readonly<Record<string, string>> = {
  'karpenter.sh/capacity-type': 'spot',
  'eks.amazonaws.com/capacityType': 'SPOT',
  'kubernetes.azure.com/scalesetpriority': 'spot',
  'cloud.google.com/gke-spot': 'true',
  'cloud.google.com/gke-preemptible': 'true',
};

/** The most extended resources that are recorded of a node, in the order of their names. */
const MOST_RESOURCES = 20;
/** The longest quantity; a quantity of Kubernetes has 19 digits and a suffix. */
const LONGEST_QUANTITY = 40;

/** The recorded facts of a node. */
export function nodeFacts({ metadata: { name, labels = {} }, status }: WatchedNode): NodeFacts {
  const label = (key: string): string | undefined => labels[key] || undefined;
  const facts = {
    instanceType: label(INSTANCE_TYPE),
    region: label(REGION),
    zone: label(ZONE),
    capacityType: capacityType(labels),
    gpuProduct: GPU_PRODUCT.map(label).find((product) => product !== undefined),
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return { name, ...Object.fromEntries(known), capacity: recordedCapacity(status?.capacity ?? {}) };
}

function capacityType(labels: Readonly<Record<string, string>>): 'spot' | 'on-demand' | undefined {
  const values = Object.entries(CAPACITY_TYPE).flatMap(([key, spot]) =>
    labels[key] === undefined ? [] : [labels[key] === spot],
  );
  if (values.length === 0) return undefined;
  return values.includes(true) ? 'spot' : 'on-demand';
}

/** CPU, memory and the first extended resources, which have a domain in their names. */
function recordedCapacity(capacity: Readonly<Record<string, string>>): Record<string, string> {
  const extended = Object.keys(capacity)
    .filter((name) => name.includes('/'))
    .toSorted()
    .slice(0, MOST_RESOURCES);
  return Object.fromEntries(
    ['cpu', 'memory', ...extended].flatMap((name) => {
      const quantity = capacity[name];
      return quantity === undefined || quantity.length > LONGEST_QUANTITY ? [] : [[name, quantity]];
    }),
  );
}
