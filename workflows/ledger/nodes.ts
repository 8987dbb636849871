import type { RecordedEvent } from './recorded-event.ts';

/** The class and the capacity of a node, which rarely change. Values of labels are as the cluster shows them. */
export interface NodeFacts {
  name: string;
  /** The label node.kubernetes.io/instance-type. */
  instanceType?: string;
  /** The labels topology.kubernetes.io/region and topology.kubernetes.io/zone. */
  region?: string;
  zone?: string;
  /** `spot` or `on-demand`, from the label of the provider. */
  capacityType?: 'spot' | 'on-demand';
  /** The label nvidia.com/gpu.product, or that of another vendor. */
  gpuProduct?: string;
  /** status.capacity of CPU, memory and extended resources, as quantities. */
  capacity: Record<string, string>;
}

/**
 * A node of the cluster was first observed, or one of its facts has changed; heartbeats and other fields are no changes.
 * `since` is in RFC 3339: the creation of the node for its first event, and the time of the observation for others.
 */
export type NodeObserved = RecordedEvent<
  'node.observed',
  { cluster: string; nodeUid: string; resourceVersion: string; since: string; node: NodeFacts }
>;

/** A node was deleted; `seen` is false when no watch reported it, and `since` is then the time of the next list. */
export type NodeDeleted = RecordedEvent<
  'node.deleted',
  { cluster: string; nodeUid: string; name: string; since: string; seen: boolean }
>;
