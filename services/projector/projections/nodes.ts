import { toAmounts } from '../../adapters/kubernetes/pod-resources.ts';
import type { NodeVersionRow } from '../../read-model/tables/nodes.ts';
import { toTimestamp } from './instants.ts';
import { countGpus } from './pod-spec.ts';
import type { NodeEvent } from './subjects.ts';

/** The row of a node from an event on. */
export function nodeVersionRow({ id, time, data }: NodeEvent): NodeVersionRow {
  const { cluster, nodeUid, since } = data;
  const facts = 'node' in data ? data.node : { name: data.name, capacity: {} };
  const capacity = toAmounts(facts.capacity);
  const amount = (value: number | undefined): string | null => (value === undefined ? null : String(value));
  return {
    event_id: id,
    cluster,
    node_uid: nodeUid,
    node: facts.name,
    // A pod is bound in a whole second.
    since: `${(toTimestamp(since) ?? time).slice(0, 19)}.000Z`,
    deleted: !('node' in data),
    instance_type: facts.instanceType ?? null,
    region: facts.region ?? null,
    zone: facts.zone ?? null,
    capacity_type: facts.capacityType ?? null,
    gpu_product: facts.gpuProduct ?? null,
    cpu_cores: amount(capacity['cpu']),
    memory_bytes: amount(capacity['memory']),
    gpus: 'node' in data ? String(countGpus(capacity)) : null,
    capacity,
  };
}
