import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { ObjectRef } from '../../workflows/activities.ts';
import { JOB_NAME_LABEL } from '../../workflows/kubernetes/names.ts';
import { eventually } from '../support/eventually.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { allowsNamespace, parseClusters } from '../../services/worker/placement/clusters/allowed-clusters.ts';
import { UnusableStreamError } from '../../services/worker/recall/unusable-stream.ts';
import { createReadCandidates } from '../../services/worker/placement/clusters/candidates.ts';
import { createCapacities } from '../../services/worker/placement/clusters/capacities.ts';
import type { LimitRangeObject } from '../../services/worker/placement/clusters/limit-ranges.ts';
import { quotaRoom } from '../../services/worker/placement/clusters/quota.ts';
import { createSeenNodes, type SeenNodes } from '../../services/worker/placement/clusters/seen-nodes.ts';
import { createSeenPods } from '../../services/worker/placement/clusters/seen-pods.ts';
import {
  computeCapacity,
  podRequirements,
  toSeenNode,
  toSeenPod,
  countFittingPods,
  type Capacity,
  type CountedPods,
  type NodeOfRoom,
  type PodOfRoom,
} from '../../services/worker/placement/clusters/room.ts';
import { INITIAL_STATE } from '../../workflows/job/state.ts';
import type { ClusterAvailability } from '../../workflows/placement/settings.ts';
import { aJob, CLUSTER, JOB_NAME, JOB_UID, jobObject } from '../support/builders.ts';
import { given as givenJob } from '../support/given.ts';
import { aPlacedJob } from '../placement/a-placed-job.ts';
import { silentLog, type Log } from '../../services/adapters/process/log.ts';
import { leastCpuMs } from '../support/least-cpu-ms.ts';
import { statusError } from './a-played-server.ts';

function aNode(
  name: string,
  spec: NonNullable<NodeOfRoom['spec']> = {},
  labels: Record<string, string> = {},
): NodeOfRoom {
  return {
    metadata: { name, uid: name, resourceVersion: '1', labels },
    spec,
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

const requesting = (cpu: string) => [{ resources: { requests: { cpu } } }];

function aPod(cpu: string, spec: Partial<PodOfRoom['spec']> = {}, phase = 'Running'): PodOfRoom {
  return {
    metadata: {
      name: 'other-x',
      uid: 'other-x',
      resourceVersion: '1',
      namespace: 'team',
      labels: { 'batch.kubernetes.io/job-name': 'other' },
    },
    spec: { nodeName: 'one', containers: requesting(cpu), ...spec },
    status: { phase },
  };
}

const NOW = Date.parse('2026-01-01T12:00:00Z');

const ONE_CPU = podRequirements({ containers: requesting('1') });

function seen(nodes: readonly NodeOfRoom[], pods: readonly PodOfRoom[]): Capacity {
  const known = createSeenPods();
  for (const [at, pod] of pods.flatMap((each) => toSeenPod(each) ?? []).entries()) known.set(`${at}`, pod);
  return computeCapacity(seenNodes(nodes), known);
}

function seenNodes(nodes: readonly NodeOfRoom[]): SeenNodes {
  const known = createSeenNodes();
  for (const node of nodes.flatMap((each) => toSeenNode(each) ?? [])) known.set(node.name, node);
  return known;
}

/** The room for any number of pods of a core beside what is kept. */
function roomBeside(capacity: Capacity, kept: readonly CountedPods[] = [], wanted = 1e9): number {
  return countFittingPods(capacity, ONE_CPU, { kept, wanted, now: NOW });
}

function room(nodes: readonly NodeOfRoom[], pods: readonly PodOfRoom[] = [], needs = ONE_CPU): number {
  return countFittingPods(seen(nodes, pods), needs, { kept: [], wanted: 100, now: NOW });
}

/** A pod that waits for a node. */
function aWaitingPod(cpu: string): PodOfRoom {
  const { nodeName: _none, ...spec } = aPod(cpu).spec;
  return { ...aPod(cpu), spec };
}

describe('the room of a cluster (J-16.4, J-16.5)', () => {
  it('is what its nodes have left after subtracting the requests of running pods and of pods that wait for a node', () => {
    expect(room([aNode('one'), aNode('two')])).toBe(8);
    expect(room([aNode('one'), aNode('two')], [aPod('1500m')])).toBe(6);
    expect(room([aNode('one')], [aWaitingPod('2')])).toBe(2);
    expect(room([aNode('one')], [aPod('4', {}, 'Succeeded')])).toBe(4);
  });

  it('is not reduced by pods that select labels that no node has, or that have scheduling gates', () => {
    const waiting = aWaitingPod('2');
    const selecting = (nodeSelector: Record<string, string>): PodOfRoom => ({
      ...waiting,
      spec: { ...waiting.spec, nodeSelector },
    });
    const nodes = [aNode('one', {}, { zone: 'a' })];
    expect(room(nodes, [selecting({ zone: 'a' })])).toBe(2);
    expect(room(nodes, [selecting({ zone: 'b' })])).toBe(4);
    expect(room(nodes, [{ ...waiting, spec: { ...waiting.spec, schedulingGates: [{ name: 'g' }] } }])).toBe(
      4,
    );
  });

  it('is not reduced by waiting pods that no node can accept because of labels, affinity, taints or size, or whose affinity is too long', () => {
    const waiting = aWaitingPod('4');
    const choosing = (spec: Partial<PodOfRoom['spec']>): PodOfRoom => ({
      ...waiting,
      spec: { ...waiting.spec, ...spec },
    });
    const needing = (...matchExpressions: { key: string; operator: string; values?: string[] }[]) =>
      choosing({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
          },
        },
      });
    const taint = { key: 'for', value: 'web', effect: 'NoSchedule' };
    const nodes = [
      aNode('one', {}, { zone: 'a', disk: 'small', size: '3' }),
      aNode('two', {}, { zone: 'b', disk: 'large', size: '7' }),
      aNode('three', { taints: [taint] }, { zone: 'c' }),
    ];
    const left = (pod: PodOfRoom): number => room(nodes, [pod]);
    expect(left(choosing({ nodeSelector: { zone: 'a', disk: 'large' } }))).toBe(8);
    expect(left(choosing({ nodeSelector: { zone: 'c' } }))).toBe(8);
    expect(left(choosing({ nodeSelector: { zone: 'b' } }))).toBe(4);
    expect(left(needing({ key: 'zone', operator: 'In', values: ['x'] }))).toBe(8);
    expect(left(needing({ key: 'zone', operator: 'In', values: ['x', 'b'] }))).toBe(4);
    expect(left(needing({ key: 'zone', operator: 'NotIn', values: ['a', 'b', 'c'] }))).toBe(8);
    expect(left(needing({ key: 'gpu', operator: 'Exists' }))).toBe(8);
    expect(left(needing({ key: 'zone', operator: 'DoesNotExist' }))).toBe(8);
    expect(left(needing({ key: 'size', operator: 'Gt', values: ['7'] }))).toBe(8);
    expect(left(needing({ key: 'size', operator: 'Lt', values: ['7'] }))).toBe(4);
    expect(left(needing())).toBe(8);
    expect(left(needing({ key: 'zone', operator: 'In', values: ['x'.repeat(3000), 'b'] }))).toBe(8);
    expect(left(needing(...Array.from({ length: 21 }, () => ({ key: 'zone', operator: 'Exists' }))))).toBe(8);
    expect(left(aWaitingPod('5'))).toBe(8);
  });

  it('is reduced at most by half by the pods of one namespace that have waited for a node for a minute', () => {
    const createdAt = (pod: PodOfRoom, creationTimestamp: string): PodOfRoom => ({
      ...pod,
      metadata: { ...pod.metadata, creationTimestamp },
    });
    const pods = (creationTimestamp: string, namespace: string) =>
      Array.from({ length: 20 }, () => createdAt(aWaitingPod('1'), creationTimestamp)).map((pod) => ({
        ...pod,
        metadata: { ...pod.metadata, namespace },
      }));
    const nodes = [aNode('one'), aNode('two')];
    const [long, just] = [new Date(NOW - 60_000).toISOString(), new Date(NOW - 59_000).toISOString()];
    expect(room(nodes, pods(long, 'team'))).toBe(4);
    expect(room(nodes, [...pods(long, 'team'), ...pods(long, 'other')])).toBe(2);
    expect(room(nodes, pods(just, 'team'))).toBe(0);
    // The last place counts as taken.
    expect(room([aNode('one')], pods(long, 'team'), podRequirements({ containers: requesting('4') }))).toBe(
      0,
    );
  });

  it('counts only nodes that are ready and schedulable, and that the pods of the Job select', () => {
    const unready = { ...aNode('two'), status: { allocatable: { cpu: '4', pods: '9' } } };
    expect(room([unready, aNode('three', { unschedulable: true })])).toBe(0);
    const needs = podRequirements({ containers: requesting('1'), nodeSelector: { gpu: 'yes' } });
    expect(room([aNode('one'), aNode('two', {}, { gpu: 'yes' })], [], needs)).toBe(4);
  });

  it('counts no node with a taint that the pods of the Job do not tolerate, unless its effect is PreferNoSchedule', () => {
    const taint = { key: 'for', value: 'batch', effect: 'NoSchedule' };
    const tainted = aNode('one', { taints: [taint] });
    expect(room([tainted])).toBe(0);
    expect(room([aNode('one', { taints: [{ ...taint, effect: 'PreferNoSchedule' }] })])).toBe(4);
    const tolerating = (toleration: object) =>
      room([tainted], [], podRequirements({ containers: requesting('1'), tolerations: [toleration] }));
    expect(tolerating({ key: 'for', value: 'batch' })).toBe(4);
    expect(tolerating({ key: 'for', operator: 'Exists', effect: 'NoSchedule' })).toBe(4);
    expect(tolerating({ operator: 'Exists' })).toBe(4);
    expect(tolerating({ key: 'for', value: 'web' })).toBe(0);
    expect(tolerating({ key: 'for', value: 'batch', effect: 'NoExecute' })).toBe(0);
  });

  it('is computed with limits where a container has no requests, and with the largest init container, sidecars and overhead', () => {
    const { requests } = podRequirements({
      containers: [{ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } }],
      initContainers: [...requesting('3'), { restartPolicy: 'Always', ...requesting('100m')[0] }],
      overhead: { cpu: '250m' },
    });
    expect(requests).toEqual({ cpu: 3.25, memory: 2 ** 30, pods: 1 });
  });

  it('is computed with the requests of the pod as a whole, where it has them, instead of the sum over its containers', () => {
    const containers = [{ resources: { requests: { cpu: '500m', memory: '1Gi' } } }, {}];
    const asking = (resources: object) => podRequirements({ containers, resources }).requests;
    expect(asking({ requests: { cpu: '2' } })).toEqual({ cpu: 2, memory: 2 ** 30, pods: 1 });
    expect(asking({ limits: { cpu: '2', 'example.com/gpu': '1' } })).toEqual({
      cpu: 0.5,
      memory: 2 ** 30,
      'example.com/gpu': 1,
      pods: 1,
    });
  });
});

describe('the computation of room by the worker, whatever one tenant requests,', () => {
  /** Nodes of a large cluster. */
  const nodes = Array.from({ length: 5000 }, (_none, at) => aNode(`node-${at}`, {}, { zone: `${at % 3}` }));
  const MOST_MS = 50;

  it('takes less than 50 ms of the worker for a Job of 2,147,483,647 pods beside other Jobs', () => {
    const { signal } = new AbortController();
    const capacities = createCapacities({ now: () => 1000, log: silentLog(), signal });
    const pods = 2_147_483_647;
    capacities.keep('west', { job: 'east/a/big', namespace: 'a', member: 'a/big', pods, needs: ONE_CPU });
    const capacity = seen(nodes, []);
    let left = 0;
    const ms = leastCpuMs(() => {
      const kept = capacities.keptForOthers('west', 'east/b/other');
      left = roomBeside(capacity, kept, pods);
    });
    expect(left).toBe(0);
    expect(roomBeside(capacity, capacities.keptForOthers('west', 'east/a/big'), pods)).toBe(20_000);
    expect(ms).toBeLessThan(MOST_MS);
  });

  it('takes less than 50 ms of the worker for 20,000 waiting pods with many different requests', () => {
    const capacity = seen(
      nodes,
      Array.from({ length: 20_000 }, (_none, at) => aWaitingPod(`${at % 2 === 0 ? 100 : 90_000_000 + at}m`)),
    );
    const various = seen(
      nodes,
      Array.from({ length: 20_000 }, (_none, at) => aWaitingPod(`${100 + at / 1000}m`)),
    );
    expect(leastCpuMs(() => roomBeside(capacity))).toBeLessThan(MOST_MS);
    expect(leastCpuMs(() => roomBeside(various))).toBeLessThan(MOST_MS);
    // The first 16 kinds count: 10,000 pods with 100m and 15 that no node has room for; 16 pods with 100m on one node.
    expect(roomBeside(capacity)).toBe(19_000);
    expect(roomBeside(various)).toBe(19_998);
  });

  it('takes less than 50 ms of the worker for waiting pods, each with another long affinity, after a change of a node', () => {
    const pods = Array.from({ length: 100 }, (_none, at) => {
      const matchExpressions = Array.from({ length: 20 }, (_each, part) => ({
        key: `zone`,
        operator: 'NotIn',
        values: [`x-${at}-${part}`, 'y'],
      }));
      const nodeSelectorTerms = [{ matchExpressions }];
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
      const waiting = aWaitingPod('4');
      return { ...waiting, spec: { ...waiting.spec, affinity: { nodeAffinity } } };
    });
    const known = createSeenNodes();
    const all = nodes.flatMap((node) => toSeenNode(node) ?? []);
    for (const node of all) known.set(node.name, node);
    const waiting = createSeenPods();
    for (const [at, pod] of pods.flatMap((each) => toSeenPod(each) ?? []).entries())
      waiting.set(`${at}`, pod);
    const left: number[] = [];
    const ms = leastCpuMs(() => {
      const [first] = all;
      known.delete('node-0');
      if (first !== undefined) known.set('node-0', first);
      left.push(roomBeside(computeCapacity(known, waiting)));
    });
    // A look compares the choices of four kinds with the nodes; the first look after the change counts those.
    expect(new Set(left)).toEqual(new Set([4 * (5000 - 4)]));
    expect(Array.from({ length: 8 }, () => roomBeside(computeCapacity(known, waiting))).at(-1)).toBe(
      4 * (5000 - 16),
    );
    expect(ms).toBeLessThan(MOST_MS);
  });

  it('takes less than 50 ms of the worker after a change of one among 100,000 pods', () => {
    const known = createSeenPods();
    const pod = toSeenPod(aPod('10m'));
    if (pod === null) throw new Error('a running pod is seen');
    for (let at = 0; at < 100_000; at += 1)
      known.set(`${at}`, { ...pod, node: `node-${at % 5000}`, job: `a/${at}` });
    const some = seenNodes(nodes);
    let capacity: Capacity | undefined;
    const ms = leastCpuMs(() => {
      known.delete('7');
      known.set('7', { ...pod, node: 'node-7', job: 'a/7' });
      capacity = computeCapacity(some, known);
    });
    expect(ms).toBeLessThan(MOST_MS);
    // 20 pods with 10m each on a node of 4 cores.
    expect(roomBeside(capacity ?? seen([], []))).toBe(15_000);
    for (let at = 0; at < 100_000; at += 1) known.delete(`${at}`);
    expect([known.used('node-7'), known.waiting(9), known.hasSeenJob('a/7')]).toEqual([{}, [], false]);
  });

  it('is omitted for a cluster that the Job does not name', async () => {
    const ended = new AbortController();
    const clients: Record<string, KubernetesClient> = { north: aCluster('north'), west: aCluster('west') };
    const { spec, preferences } = aPlacedJob({ annotations: { clusters: 'north' } });
    const read = createReadCandidates({
      allowed: ['north', 'west'].map((name) => ({
        name,
        labels: {},
        allow: [{ home: CLUSTER, namespaces: ['default'] }],
      })),
      findClient: (cluster) => clients[cluster] ?? null,
      message: () => ({}),
      readState: () => Promise.resolve(INITIAL_STATE),
      now: () => 1000,
      log: silentLog(),
      signal: ended.signal,
    });
    const job = {
      cluster: CLUSTER,
      uid: JOB_UID,
      namespace: 'default',
      name: JOB_NAME,
      kind: 'PlacedJob' as const,
    };
    const template = { spec: { containers: requesting('1') } };
    const live = jobObject();
    const home = {
      ...aCluster(CLUSTER),
      request: <T>() => Promise.resolve({ ...live, spec: { ...live.spec, template } } as T),
    };
    const { clusters } = await read(
      home,
      { job, facts: { spec, preferences }, except: [], grant: 1 },
      ended.signal,
    );
    ended.abort();
    expect(clusters).toEqual([{ cluster: 'north', room: spec.parallelism }, { cluster: 'west' }]);
  });
});

describe('the quotas of a namespace (J-16.4)', () => {
  it('leave room for as many pods as the scarcest resource permits', () => {
    const status = {
      hard: { 'requests.cpu': '10', pods: '50', 'limits.memory': '1Gi' },
      used: { 'requests.cpu': '7500m', pods: '20' },
    };
    expect(quotaRoom([{ status }], ONE_CPU)).toBe(2);
    expect(quotaRoom([{ status: { hard: { pods: '5' }, used: { pods: '9' } } }], ONE_CPU)).toBe(0);
    expect(quotaRoom([], ONE_CPU)).toBe(Infinity);
  });

  it('are compared with the limits of pods when they concern limits', () => {
    const needs = podRequirements({
      containers: [{ resources: { requests: { cpu: '100m' }, limits: { cpu: '1' } } }],
    });
    const left = (cpu: string) => quotaRoom([{ status: { hard: { 'limits.cpu': cpu }, used: {} } }], needs);
    expect([left('500m'), left('2500m')]).toEqual([0, 2]);
  });

  it('leave no room when they allow no further Job, and are ignored when they have scopes', () => {
    const full = { hard: { 'count/jobs.batch': '3' }, used: { 'count/jobs.batch': '3' } };
    expect(quotaRoom([{ status: full }], ONE_CPU)).toBe(0);
    expect(quotaRoom([{ spec: { scopes: ['BestEffort'] }, status: full }], ONE_CPU)).toBe(Infinity);
  });
});

describe('the clusters that the operator allows (J-16.4)', () => {
  const TEXT = `clusters:
  - name: west
    labels: { region: eu }
    allow: [{ home: east, namespaces: [team] }, { home: north, namespaces: ['*'] }]
  - name: east`;

  it('are none by default, and are allowed for namespaces of each home cluster', () => {
    expect(parseClusters('')).toEqual([]);
    const [west, east] = parseClusters(TEXT);
    if (west === undefined || east === undefined) throw new Error('two clusters are described');
    expect(allowsNamespace(west, 'east', 'team')).toBe(true);
    expect(allowsNamespace(west, 'east', 'other')).toBe(false);
    expect(allowsNamespace(west, 'north', 'other')).toBe(true);
    expect(allowsNamespace(east, 'east', 'team')).toBe(false);
  });

  it.each([
    ['clusters: [{ nam: west }]', 'clusters.0'],
    ['clusters: [{ name: west }, { name: west }]', 'listed twice'],
    ['clusters: [{ name: west, allow: [{ home: east, namespaces: [] }] }]', 'name the namespaces'],
    ['clusters: [{ name: west, profile: { cluster: hub, name: west } }]', 'clusters.0.profile.namespace'],
    ['{', 'neither YAML nor JSON'],
  ])('are not read from an invalid setting, which is refused: %s', (text, message) => {
    expect(() => parseClusters(text)).toThrow(message);
  });
});

/** A cluster with a node of four cores. `watched`: its open watches, by path. */
function aCluster(
  cluster: string,
  refused: Record<string, number> = {},
  late: Record<string, number> = {},
  ranges: LimitRangeObject[] = [],
  quotas: object[] = [],
): KubernetesClient & { watched: Map<string, PassThrough> } {
  const metadata = { resourceVersion: '1' };
  const answers: Record<string, object> = {
    '/api/v1/nodes': { metadata, items: [aNode('one')] },
    '/api/v1/pods': { metadata, items: [] },
    '/resourcequotas': { items: quotas },
    '/limitranges': { items: ranges },
    '/serviceaccounts/default': {},
  };
  const watched = new Map<string, PassThrough>();
  return {
    cluster,
    watched,
    stream({ path }) {
      const stream = new PassThrough();
      watched.set(path.split('?')[0] ?? '', stream);
      return Promise.resolve(stream);
    },
    request: async <T>({ path, signal }: ApiRequest) => {
      const end = Object.keys(answers).find((each) => path.split('?')[0]?.endsWith(each)) ?? '';
      const status = refused[end];
      if (status !== undefined) throw statusError(status, 'Refused');
      await delay(late[end] ?? 0, undefined, { ref: false, ...(signal !== undefined && { signal }) });
      return answers[end] as T;
    },
  };
}

describe('the candidate clusters for a Job (J-16.4)', () => {
  const ended = new AbortController();
  afterAll(() => ended.abort());
  const home = (containers: object[], podSpec: object): KubernetesClient => {
    const job = jobObject();
    const template = { spec: { containers, ...podSpec } } as unknown as typeof job.spec.template;
    return {
      ...aCluster(CLUSTER),
      request: <T>() => Promise.resolve({ ...job, spec: { ...job.spec, template } } as T),
    };
  };
  const reader = (
    clients: Record<string, KubernetesClient>,
    words: Record<string, ClusterAvailability> = {},
    { now = () => 1000, log = silentLog() }: { now?: () => number; log?: Log } = {},
  ) => {
    const names = ['north', 'west'];
    const read = createReadCandidates({
      allowed: names.map((name) => ({
        name,
        labels: {},
        allow: [{ home: CLUSTER, namespaces: ['default'] }],
      })),
      findClient: (cluster) => clients[cluster] ?? null,
      message: () => words,
      readState: () => Promise.resolve(INITIAL_STATE),
      now,
      log,
      signal: ended.signal,
    });
    const { spec, preferences } = aPlacedJob({ annotations: { clusters: 'north, west' } });
    return async (
      name = JOB_NAME,
      homeCluster = CLUSTER,
      grant = 1,
      containers: object[] = requesting('1'),
      parallelism = 3,
      podSpec: object = {},
    ) => {
      const job: ObjectRef = {
        cluster: homeCluster,
        uid: JOB_UID,
        namespace: 'default',
        name,
        kind: 'PlacedJob',
      };
      const input = { job, facts: { spec: { ...spec, parallelism }, preferences }, except: [], grant };
      const { clusters } = await read(home(containers, podSpec), input, new AbortController().signal);
      return clusters.map(({ cluster, room: left, refused }) => [cluster, left ?? refused]);
    };
  };

  it('have the room that is not reserved for other Jobs, whereas the room reserved for this Job counts', async () => {
    const read = reader({ north: aCluster('north'), west: aCluster('west') });
    const free = [
      ['north', 3],
      ['west', 3],
    ];
    expect(await read()).toEqual(free);
    expect(await read()).toEqual(free);
    expect(await read('other')).toEqual([
      ['north', 1],
      ['west', 3],
    ]);
  });

  it('have the room that a Job of 2,147,483,647 pods leaves when the quota of its namespace allows only one pod', async () => {
    const quota = { spec: { hard: { pods: '1' } }, status: { hard: { pods: '1' }, used: { pods: '0' } } };
    const north = aCluster('north', {}, {}, [], [quota]);
    const read = reader({ north, west: aCluster('west', { '/serviceaccounts/default': 404 }) });
    await read(JOB_NAME, CLUSTER, 1, requesting('1'), 2_147_483_647);
    const [[, left] = []] = await read('other', CLUSTER, 1, requesting('1'), 4);
    expect(left).toBe(1);
  });

  it('have room reserved for other Jobs only for 15 s when the pods of these Jobs do not appear', async () => {
    let now = 1000;
    const read = reader({ north: aCluster('north') }, {}, { now: () => now });
    const left = async (...given: Parameters<typeof read>): Promise<unknown> =>
      (await read(...given))[0]?.[1];
    const gpu = { nodeSelector: { gpu: 'yes' } };
    expect(await left('elsewhere', CLUSTER, 1, requesting('1'), 3, gpu)).toBe(0);
    expect(await left('first')).toBe(3);
    now += 10_000;
    expect(await left('first')).toBe(3);
    expect(await left('second')).toBe(1);
    now += 5000;
    // Their pods did not come: for five minutes, no room is kept for the namespace.
    expect(await left('first')).toBe(3);
    expect(await left('second')).toBe(3);
    now += 310_000;
    expect(await left('first')).toBe(3);
    expect(await left('second')).toBe(1);
  });

  it('have less room by the default requests of a namespace, and the log names a missing permission to read them', async () => {
    const ranges = [{ spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '1' } }] } }];
    const read = reader({ north: aCluster('north', {}, {}, ranges) });
    expect((await read('first', CLUSTER, 1, [{}]))[0]).toEqual(['north', 3]);
    expect((await read('second', CLUSTER, 1, requesting('1')))[0]).toEqual(['north', 1]);

    const lines: { cluster: string; resource: string }[] = [];
    const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const refused = { '/limitranges': 403, '/resourcequotas': 403 };
    const unread = reader({ north: aCluster('north', refused) }, {}, { log });
    await unread('first');
    await unread('second');
    expect(lines.map(({ cluster, resource }) => [cluster, resource])).toEqual([
      ['north', 'limitranges'],
      ['north', 'resourcequotas'],
    ]);
  });

  it('have the room that a Job with the same name from another home leaves', async () => {
    const read = reader({ north: aCluster('north'), west: aCluster('west') });
    await read();
    expect(await read(JOB_NAME, 'south')).toEqual([
      ['north', 1],
      ['west', 3],
    ]);
  });

  it('have no room reserved for a member any more once its pods have appeared and ended', async () => {
    const north = aCluster('north');
    const read = reader({ north });
    await read('moved', CLUSTER, 2);
    expect((await read('other'))[0]).toEqual(['north', 1]);
    await eventually('the pods are watched', 5, () => Promise.resolve(north.watched.get('/api/v1/pods')));
    const pod = aPod('1', {}, 'Succeeded');
    const metadata = { ...pod.metadata, namespace: 'default', labels: { [JOB_NAME_LABEL]: 'moved-m2' } };
    const event = { type: 'ADDED', object: { ...pod, metadata } };
    north.watched.get('/api/v1/pods')?.write(`${JSON.stringify(event)}\n`);
    await eventually('its room is free', 5, async () =>
      (await read('other'))[0]?.[1] === 3 ? true : undefined,
    );
  });

  it('have another room after each observed change of a pod, and after the watch has broken', async () => {
    const north = aCluster('north');
    const read = reader({ north });
    expect((await read())[0]).toEqual(['north', 3]);
    const pods = await eventually('the pods are watched', 5, () =>
      Promise.resolve(north.watched.get('/api/v1/pods')),
    );
    const has = (left: number) =>
      eventually(`there is room for ${left}`, 5, async () =>
        (await read())[0]?.[1] === left ? true : undefined,
      );
    const report = (type: string, phase: string) =>
      pods.write(`${JSON.stringify({ type, object: aPod('3', {}, phase) })}\n`);
    report('ADDED', 'Running');
    await has(1);
    report('MODIFIED', 'Failed');
    await has(3);
    report('MODIFIED', 'Running');
    await has(1);
    report('DELETED', 'Running');
    await has(3);
    report('ADDED', 'Running');
    await has(1);
    pods.destroy(new Error('the connection is gone'));
    await has(3);
  }, 20_000);

  it('are asked for ServiceAccount and quota in order of preference, until one of them can take the Job', async () => {
    const asked: string[] = [];
    const asking = (client: KubernetesClient): KubernetesClient => ({
      ...client,
      request: (of) => {
        if (!of.path.startsWith('/api/v1/nodes') && !of.path.startsWith('/api/v1/pods'))
          asked.push(`${client.cluster}${of.path.slice(of.path.lastIndexOf('/'))}`);
        return client.request(of);
      },
    });
    const [north, west] = [aCluster('north', { '/serviceaccounts/default': 404 }), aCluster('west')];
    expect(await reader({ north: asking(north), west: asking(west) })()).toEqual([
      ['north', 'its namespace default has no ServiceAccount default, or does not exist'],
      ['west', 3],
    ]);
    expect(asked).toEqual([
      'north/default',
      'north/limitranges',
      'west/default',
      'west/limitranges',
      'west/resourcequotas',
    ]);
    asked.length = 0;
    await reader({ north: asking(aCluster('north')), west: asking(west) })();
    expect(asked).toEqual(['north/default', 'north/limitranges', 'north/resourcequotas']);
  });

  it('have room according to the default requests of the namespace when the containers have no requests', async () => {
    const ranges = [{ spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '3' } }] } }];
    const read = reader({ north: aCluster('north', {}, {}, ranges), west: aCluster('west') });
    expect(await read(JOB_NAME, CLUSTER, 1, [{}])).toEqual([
      ['north', 1],
      ['west', 3],
    ]);
    expect(await read(JOB_NAME, CLUSTER, 1, requesting('1'))).toEqual([
      ['north', 3],
      ['west', 3],
    ]);
  });

  it('are refused when they are drained or silent, without access, or without the ServiceAccount', async () => {
    const drained = { north: { cordoned: { by: 'anna', at: 1, drain: true as const } } };
    expect(await reader({}, drained)()).toEqual([
      ['north', 'drained by anna'],
      ['west', 'this worker has no access to it (JOBLEDGER_CONTEXTS)'],
    ]);
    const missing = aCluster('north', { '/serviceaccounts/default': 404 });
    expect(await reader({ north: missing }, { west: { silentSince: 1 } })()).toEqual([
      ['north', 'its namespace default has no ServiceAccount default, or does not exist'],
      ['west', 'it does not answer'],
    ]);
  });

  it('are known within a second although one does not answer, and a slow cluster is included later', async () => {
    const everything = {
      '/api/v1/nodes': 9000,
      '/api/v1/pods': 9000,
      '/resourcequotas': 9000,
      '/serviceaccounts/default': 9000,
    };
    const read = reader({
      north: aCluster('north', {}, everything),
      west: aCluster('west', {}, { '/resourcequotas': 300 }),
    });
    const begun = performance.now();
    expect(await read()).toEqual([
      ['north', 'it does not answer'],
      ['west', 3],
    ]);
    const first = performance.now();
    expect(first - begun).toBeLessThan(1000);
    expect(await read('other')).toEqual([
      ['north', 'it does not answer'],
      ['west', 1],
    ]);
    // For a while, the next choices do not wait for it.
    expect(performance.now() - first).toBeLessThan(600);
    const slow = aCluster('north', {}, { '/api/v1/nodes': 1200, '/resourcequotas': 100 });
    const late = reader({ north: slow, west: aCluster('west') });
    expect((await late())[0]).toEqual(['north', 'it does not answer']);
    await eventually('it is listed', 5, async () => ((await late())[0]?.[1] === 3 ? true : undefined));
  });

  it('have unknown room when nodes may not be listed', async () => {
    const [north] = await reader({ north: aCluster('north', { '/api/v1/nodes': 403 }) })();
    expect(north).toEqual(['north', undefined]);
  });
});

describe('the objects of one tenant in the computation of room', () => {
  it('cost less than a second of CPU time: 4,000 containers, each with another resource', () => {
    const containers = Array.from({ length: 4000 }, (_, at) => ({
      resources: { requests: { [`example.com/${at}`]: '1' } },
    }));
    const begun = process.cpuUsage();
    const { requests } = podRequirements({ containers });
    const { user } = process.cpuUsage(begun);
    expect(Object.keys(requests)).toHaveLength(4001);
    // 16 s when each container is added to all before it.
    expect(user / 1000).toBeLessThan(1000);
  });

  it('cost less than a second of CPU time: a node selector of 20,000 labels beside 1,000 nodes', () => {
    const nodeSelector = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`example.com/${at}`, 'v']),
    );
    const needs = podRequirements({ containers: [{}], nodeSelector });
    const capacity = seen(
      Array.from({ length: 1000 }, (_, at) => aNode(`node-${at}`)),
      [],
    );
    const begun = process.cpuUsage();
    // More than is compared with nodes: none is known to take it.
    expect(countFittingPods(capacity, needs, { kept: [], wanted: 10, now: NOW })).toBe(0);
    const { user } = process.cpuUsage(begun);
    // 10 s when the labels are listed for each node.
    expect(user / 1000).toBeLessThan(1000);
  });
});

describe('the states of members in their own streams (J-16.7)', () => {
  const ended = new AbortController();
  afterAll(() => ended.abort());

  it('are read with the candidates, and used when they are newer than what the home knows', async () => {
    const { state } = givenJob(aJob({ status: { succeeded: 2 } }));
    const read = createReadCandidates({
      allowed: [],
      findClient: () => null,
      message: () => ({}),
      readState: () => Promise.resolve(state),
      now: () => 1000,
      log: silentLog(),
      signal: ended.signal,
    });
    const { spec, preferences } = aPlacedJob();
    const job = {
      cluster: CLUSTER,
      uid: JOB_UID,
      namespace: 'default',
      name: JOB_NAME,
      kind: 'PlacedJob' as const,
    };
    const member = { grant: 3, member: { ...job, cluster: 'west', kind: 'Job' as const } };
    const asked = { job, facts: { spec, preferences }, except: [], grant: 4 };
    const home = {
      ...aCluster(CLUSTER),
      request: <T>() => Promise.resolve(jobObject() as T),
    };
    const known = { resourceVersion: '1', generation: 1 };
    const leftBy = async (input: object) => {
      const found = await read(home, { ...asked, ...input }, ended.signal);
      return { seen: found.seen?.map(({ grant, status }) => [grant, status.succeeded]), left: found.left };
    };
    const left = { failures: {}, uncountedPodCount: 0 };
    expect(await leftBy({ continued: { ...member, known } })).toEqual({ seen: [[3, 2]], left });
    expect(await leftBy({ continued: member })).toEqual({ seen: undefined, left });
    expect(await leftBy({ spread: { left: [{ ...member, known }] } })).toEqual({ seen: [[3, 2]] });
  });

  it('are reported as unread when their stream cannot be folded, so that the decision is still made', async () => {
    const stopped = new AbortController();
    const read = createReadCandidates({
      allowed: [],
      findClient: () => null,
      message: () => ({}),
      readState: () => Promise.reject(new UnusableStreamError('west/uid cannot be recalled')),
      now: () => 1000,
      log: silentLog(),
      signal: stopped.signal,
    });
    const { spec, preferences } = aPlacedJob();
    const job = {
      cluster: CLUSTER,
      uid: JOB_UID,
      namespace: 'default',
      name: JOB_NAME,
      kind: 'PlacedJob' as const,
    };
    const asked = { job, facts: { spec, preferences }, except: [], grant: 4 };
    const member = { grant: 3, member: { ...job, cluster: 'west', kind: 'Job' as const } };
    const home = { ...aCluster(CLUSTER), request: <T>() => Promise.resolve(jobObject() as T) };
    const unread = {
      readAt: 1000,
      clusters: [],
      unread: `the member default/${JOB_NAME} in the cluster west: west/uid cannot be recalled`,
    };
    for (const input of [{ continued: member }, { spread: { left: [member] } }])
      expect(await read(home, { ...asked, ...input }, stopped.signal)).toEqual(unread);
    stopped.abort(new Error('the end of the process'));
    await expect(read(home, { ...asked, continued: member }, stopped.signal)).rejects.toThrow('the end');
  });
});
