import { createRecordedNodes } from '../../services/ingester/nodes/recorded-nodes.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { CLUSTER } from '../support/builders.ts';
import { after, START } from './builders.ts';

/** The events of a node that becomes spot capacity and is deleted, as the ingester records them. */
export function aNodeLife(name = 'node-1'): JobEvent[] {
  const nodes = createRecordedNodes({ cluster: CLUSTER }, []);
  const version = (resourceVersion: string, labels: Record<string, string>) => ({
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion,
      creationTimestamp: new Date(START).toISOString(),
      labels,
    },
    status: { capacity: { cpu: '7910m', memory: '32Gi', 'nvidia.com/gpu': '2' } },
  });
  const record = (): JobEvent[] => {
    const changes = nodes.changes(1);
    nodes.confirm(changes);
    return changes.events;
  };
  nodes.observed(version('1', { 'node.kubernetes.io/instance-type': 'm7' }), after(60));
  const first = record();
  nodes.observed(
    version('2', { 'node.kubernetes.io/instance-type': 'm7', 'karpenter.sh/capacity-type': 'spot' }),
    after(120),
  );
  const second = record();
  nodes.deleted(version('3', {}), after(180));
  return [...first, ...second, ...record()];
}
