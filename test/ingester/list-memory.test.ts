import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { podObject } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { extent } from '../support/extent.ts';
import { followPods } from './a-reader.ts';

const LISTED_AT = '900000';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after all garbage is collected. */
function bytesInUse(): number {
  // The memory of buffers found by the first may be freed beside it; the second waits for that.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

interface Listed {
  /** The most bytes in use at once for each pod, until everything was appended. */
  bytesPerPod: number;
  events: number;
  /** True when each event's version was higher than the one before. */
  isAscending: boolean;
}

/** Lists a generated cluster with the ingester's own code. */
async function listed(pods: number, createPod: (number: number) => Pod): Promise<Listed> {
  let [most, events, last] = [0, 0, 0];
  let isAscending = true;
  const sample = (): void => {
    most = Math.max(most, bytesInUse());
  };
  const { collection, live, start, drained, stop } = followPods((recorded) => {
    for (const { data } of recorded) {
      const version = 'object' in data ? Number(data.object?.metadata.resourceVersion) : 0;
      isAscending &&= version > last;
      last = version;
      events += 1;
      if (events % 5000 === 0) sample();
    }
  });
  const client: KubernetesClient = {
    ...collection.client,
    async request<R>({ path }: { path: string }) {
      const query = new URL(path, 'http://played').searchParams;
      const [from, limit] = [Number(query.get('continue') ?? 0), Number(query.get('limit'))];
      if (from % 5000 === 0) sample();
      const items = Array.from({ length: Math.min(limit, pods - from) }, (_none, at) => createPod(from + at));
      const next = from + limit < pods ? { continue: String(from + limit) } : {};
      return JSON.parse(JSON.stringify({ metadata: { resourceVersion: LISTED_AT, ...next }, items })) as R;
    },
  };
  const before = bytesInUse();
  start({ client });
  await eventually('the list', 60, async () =>
    live.positions.pods?.resourceVersion === LISTED_AT ? true : undefined,
  );
  await drained();
  sample();
  await stop();
  return { bytesPerPod: (most - before) / pods, events, isAscending };
}

/** As large as an ordinary pod of a cluster: 6 KB of JSON. */
function ordinaryPod(number: number, controller: { kind: string; apiVersion: string }): Pod {
  const uid = `8b36305e-d296-4210-ae4e-${String(number).padStart(12, '0')}`;
  const { metadata, spec, ...rest } = podObject({ name: `pod-${number}`, uid });
  // In the order of names, the versions are mixed.
  const resourceVersion = String(100_000 + ((number * 7919) % 50_000));
  const ownerReferences = [{ ...controller, name: 'owner', uid: 'uid-of-owner', controller: true }];
  const conditions = Array.from({ length: 5 }, (_none, at) => [
    `k:{"type":"condition-${at}","uid":"${uid}"}`,
    { '.': {}, 'f:lastProbeTime': {}, 'f:lastTransitionTime': {}, 'f:status': {}, 'f:type': {} },
  ]);
  const status = {
    'f:conditions': Object.fromEntries(conditions),
    'f:phase': {},
    'f:podIP': {},
    'f:startTime': {},
  };
  const written = {
    'f:containers': {},
    'f:restartPolicy': {},
    'f:schedulerName': {},
    'f:securityContext': {},
  };
  const managedFields = [
    {
      manager: 'creator',
      operation: 'Update',
      fieldsV1: { 'f:metadata': { 'f:labels': {} }, 'f:spec': written },
    },
    { manager: 'kubelet', operation: 'Update', subresource: 'status', fieldsV1: { 'f:status': status } },
  ];
  const env = Array.from({ length: 30 }, (_none, at) => ({
    name: `VARIABLE_${at}`,
    value: `${number} ${'value '.repeat(10)}`,
  }));
  return {
    ...rest,
    metadata: { ...metadata, resourceVersion, ownerReferences, managedFields } as Pod['metadata'],
    spec: { ...spec, containers: [{ name: 'main', env }] },
  };
}

describe('a list response in the ingester', () => {
  it('takes, for many pods without Jobs, the memory of a page', async () => {
    const { bytesPerPod, events } = await listed(extent(25_000, 50_000), (number) =>
      ordinaryPod(number, { apiVersion: 'apps/v1', kind: 'ReplicaSet' }),
    );
    expect(events).toBe(0);
    expect(bytesPerPod).toBeLessThan(600);
  }, 120_000);

  it('takes, for 10,000 pods of Jobs, little memory for each pod, and is recorded by ascending version', async () => {
    const { bytesPerPod, events, isAscending } = await listed(10_000, (number) =>
      ordinaryPod(number, { apiVersion: 'batch/v1', kind: 'Job' }),
    );
    expect([events, isAscending]).toEqual([10_000, true]);
    expect(bytesPerPod).toBeLessThan(5000);
  }, 120_000);
});
