import { describe, expect, it } from '@jest/globals';
import { nodeFacts, type WatchedNode } from '../../services/ingester/nodes/node-facts.ts';
import { createRecordedNodes, type RecordedNodes } from '../../services/ingester/nodes/recorded-nodes.ts';
import type { LiveRecord } from '../../services/live-topic/live-topic.ts';
import { seededRandom } from '../support/random.ts';

const CREATED = '2026-03-01T12:00:00Z';
const at = (seconds: number): string => new Date(Date.parse(CREATED) + seconds * 1000).toISOString();

function aNode(
  name: string,
  {
    labels = {},
    version = 1,
    ...rest
  }: { labels?: Record<string, string>; version?: number; status?: object } = {},
): WatchedNode {
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: String(version),
      creationTimestamp: CREATED,
      labels,
    },
    status: { capacity: { cpu: '8', memory: '32Gi' } },
    ...rest,
  };
}

const SPOT = { 'karpenter.sh/capacity-type': 'spot', 'topology.kubernetes.io/zone': 'eu-1a' };
const REGULAR = { ...SPOT, 'karpenter.sh/capacity-type': 'on-demand' };

/** Records all changes, and returns the types of the events with their main facts. */
function record(nodes: RecordedNodes, live: Map<string, LiveRecord> = new Map()): string[] {
  const changes = nodes.changes(500);
  for (const each of changes.records) {
    if (each.value === null) live.delete(each.key);
    else live.set(each.key, each);
  }
  nodes.confirm(changes);
  return changes.events.map((event) =>
    event.type === 'node.deleted'
      ? `${event.data.name} deleted, seen ${event.data.seen}`
      : `${event.data.node.name} ${event.data.node.capacityType ?? ''} since ${event.data.since}`,
  );
}

describe('the recorded facts of a node', () => {
  it('are its class and its capacity', () => {
    const node = aNode('n1', {
      labels: {
        ...SPOT,
        'node.kubernetes.io/instance-type': 'p5.48xlarge',
        'topology.kubernetes.io/region': 'eu-1',
        'nvidia.com/gpu.product': 'H100',
        'team.example/owner': 'secret',
      },
      status: {
        capacity: {
          cpu: '192',
          memory: '2Ti',
          pods: '110',
          'ephemeral-storage': '1Gi',
          'nvidia.com/gpu': '8',
        },
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      },
    });
    expect(nodeFacts(node)).toEqual({
      name: 'n1',
      instanceType: 'p5.48xlarge',
      region: 'eu-1',
      zone: 'eu-1a',
      capacityType: 'spot',
      gpuProduct: 'H100',
      capacity: { cpu: '192', memory: '2Ti', 'nvidia.com/gpu': '8' },
    });
  });

  it.each([
    [{ 'karpenter.sh/capacity-type': 'on-demand' }, 'on-demand'],
    [{ 'eks.amazonaws.com/capacityType': 'SPOT' }, 'spot'],
    [{ 'eks.amazonaws.com/capacityType': 'ON_DEMAND' }, 'on-demand'],
    [{ 'kubernetes.azure.com/scalesetpriority': 'spot' }, 'spot'],
    [{ 'cloud.google.com/gke-spot': 'true' }, 'spot'],
    [{ 'cloud.google.com/gke-preemptible': 'true' }, 'spot'],
    [{}, undefined],
  ])('have the type of capacity of the provider: %j is %s', (labels, expected) => {
    expect(nodeFacts(aNode('n1', { labels })).capacityType).toBe(expected);
  });

  it('have at most 20 extended resources, and no quantity that is longer than any of Kubernetes', () => {
    const many = Array.from({ length: 1000 }, (_, index) => [`example.com/r${1000 + index}`, '1']);
    const status = { capacity: { cpu: '9'.repeat(1000), memory: '1Gi', ...Object.fromEntries(many) } };
    const { capacity } = nodeFacts(aNode('n1', { status }));
    expect(Object.keys(capacity)).toEqual(['memory', ...many.slice(0, 20).map(([name]) => name)]);
  });
});

describe('the nodes of a cluster', () => {
  const none: LiveRecord[] = [];

  it('are recorded once each, from their creation on', () => {
    const nodes = createRecordedNodes({ cluster: 'east' }, none);
    nodes.observed(aNode('n1', { labels: SPOT }), at(60));
    nodes.observed(aNode('n2'), at(60));
    expect(record(nodes)).toEqual([`n1 spot since ${CREATED}`, `n2  since ${CREATED}`]);
    expect(record(nodes)).toEqual([]);
  });

  it('are not recorded again for a heartbeat, or for a field that is not recorded', () => {
    const nodes = createRecordedNodes({ cluster: 'east' }, none);
    nodes.observed(aNode('n1'), at(0));
    record(nodes);
    const status = { capacity: { memory: '32Gi', cpu: '8' }, conditions: [{ lastHeartbeatTime: at(60) }] };
    nodes.observed(aNode('n1', { version: 2, status, labels: { other: 'x' } }), at(60));
    expect(record(nodes)).toEqual([]);
  });

  it('are recorded when a fact changes, with the time of the first version that has it', () => {
    const nodes = createRecordedNodes({ cluster: 'east' }, none);
    nodes.observed(aNode('n1', { labels: REGULAR }), at(0));
    record(nodes);
    nodes.observed(aNode('n1', { labels: SPOT, version: 2 }), at(61));
    nodes.observed(aNode('n1', { labels: SPOT, version: 3 }), at(65));
    expect(record(nodes)).toEqual([`n1 spot since ${at(61)}`]);
  });

  it('are not recorded for changes that are taken back before they are recorded', () => {
    const nodes = createRecordedNodes({ cluster: 'east' }, none);
    nodes.observed(aNode('n1', { labels: REGULAR }), at(0));
    record(nodes);
    nodes.observed(aNode('n1', { labels: SPOT, version: 2 }), at(61));
    nodes.observed(aNode('n1', { labels: REGULAR, version: 3 }), at(62));
    nodes.observed(aNode('n2'), at(61));
    nodes.deleted(aNode('n2'), at(62));
    expect(record(nodes)).toEqual([]);
  });

  it('are deleted when the watch says so, or when a list lacks them; a node of the same name has another UID', () => {
    const nodes = createRecordedNodes({ cluster: 'east' }, none);
    for (const name of ['n1', 'n2', 'n3']) nodes.observed(aNode(name), at(0));
    record(nodes);
    nodes.deleted(aNode('n1'), at(60));
    nodes.listed(new Set(['uid-n3']), at(60));
    expect(record(nodes).toSorted()).toEqual(['n1 deleted, seen true', 'n2 deleted, seen false']);
  });

  it('of an earlier term are compared with the next list', () => {
    const live = new Map<string, LiveRecord>();
    const first = createRecordedNodes({ cluster: 'east' }, none);
    for (const name of ['n1', 'n2', 'n3']) first.observed(aNode(name, { labels: REGULAR }), at(0));
    record(first, live);
    const second = createRecordedNodes({ cluster: 'east' }, [...live.values()]);
    second.observed(aNode('n1', { labels: REGULAR, version: 7 }), at(60));
    second.observed(aNode('n2', { labels: SPOT, version: 8 }), at(60));
    second.listed(new Set(['uid-n1', 'uid-n2']), at(60));
    expect(record(second, live)).toEqual([`n2 spot since ${at(60)}`, 'n3 deleted, seen false']);
    expect(record(createRecordedNodes({ cluster: 'west' }, [...live.values()]))).toEqual([]);
  });

  it('end as they are, whatever happens while changes are being recorded', () => {
    const random = seededRandom(7);
    const live = new Map<string, LiveRecord>();
    const nodes = createRecordedNodes({ cluster: 'east' }, none);
    const expected = new Map<string, string>();
    let version = 0;
    const change = (): void => {
      const name = `n${Math.floor(random() * 5)}`;
      version += 1;
      if (random() < 0.2) {
        nodes.deleted(aNode(name, { version }), at(version));
        expected.delete(`uid-${name}`);
      } else {
        const labels = random() < 0.5 ? SPOT : REGULAR;
        nodes.observed(aNode(name, { labels, version }), at(version));
        expected.set(`uid-${name}`, labels === SPOT ? 'spot' : 'on-demand');
      }
    };
    for (let step = 0; step < 2000; step += 1) {
      change();
      if (random() < 0.5) continue;
      const changes = nodes.changes(3);
      if (random() < 0.5) change();
      // An append may fail, and then it is tried again.
      if (random() < 0.3) continue;
      for (const each of changes.records) live.set(each.key, each);
      nodes.confirm(changes);
    }
    while (record(nodes, live).length > 0);
    const types = [...live].flatMap(([uid, { value }]) =>
      value === null ? [] : [[uid, (value as { capacityType: string }).capacityType] as const],
    );
    expect(Object.fromEntries(types)).toEqual(Object.fromEntries(expected));
  });
});
