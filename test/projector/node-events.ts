import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { NodeDeleted, NodeFacts, NodeObserved } from '../../workflows/ledger/nodes.ts';
import { after, CLUSTER } from './builders.ts';

const M5: Omit<NodeFacts, 'name'> = {
  instanceType: 'm5.2xlarge',
  zone: 'eu-1a',
  capacityType: 'spot',
  capacity: { cpu: '8' },
};

/** The node `node-1` with these facts from so many seconds after the start of the story on. */
export function nodeObserved(since: number, facts: Partial<NodeFacts> = {}, nodeUid = 'uid-1'): NodeObserved {
  return withDigest<NodeObserved>({
    id: `${CLUSTER}/node/${nodeUid}/${since}`,
    type: 'node.observed',
    source: CLUSTER,
    subject: CLUSTER,
    time: after(since),
    data: {
      cluster: CLUSTER,
      nodeUid,
      resourceVersion: String(since),
      since: after(since),
      node: { name: 'node-1', ...M5, ...facts },
    },
  });
}

/** The deletion of the node `node-1` so many seconds after the start of the story. */
export function nodeDeleted(since: number, nodeUid = 'uid-1'): NodeDeleted {
  return withDigest<NodeDeleted>({
    id: `${CLUSTER}/node/${nodeUid}/deleted`,
    type: 'node.deleted',
    source: CLUSTER,
    subject: CLUSTER,
    time: after(since),
    data: { cluster: CLUSTER, nodeUid, name: 'node-1', since: after(since), seen: true },
  });
}

/** The events of a node that becomes spot capacity and is deleted. */
export function aNodeLife(): (NodeObserved | NodeDeleted)[] {
  const facts = { instanceType: 'm7', capacity: { cpu: '7910m', memory: '32Gi', 'nvidia.com/gpu': '2' } };
  return [
    nodeObserved(0, { ...facts, capacityType: 'on-demand' }),
    nodeObserved(120, { ...facts, capacityType: 'spot' }),
    nodeDeleted(180),
  ];
}
