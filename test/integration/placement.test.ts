import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trueCondition } from '../../workflows/job/definitions/conditions.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import type { TestCluster } from '../support/cluster.ts';

const NAMES = ['east', 'west', 'north'] as const;
const PLACEMENT = {
  clusters: NAMES.map((name) => ({
    name,
    labels: { side: name },
    allow: [{ home: 'east', namespaces: ['*'] }],
  })),
};

let jobledger: Installation;
let clusters: Record<(typeof NAMES)[number], TestCluster>;

beforeAll(async () => {
  jobledger = await install({
    clusters: NAMES.map((name) => ({ name })),
    environment: { JOBLEDGER_PLACEMENT: JSON.stringify(PLACEMENT) },
  });
  await jobledger.startServices();
  const namespaces = NAMES.map(
    async (name) => [name, await jobledger.clusters[name]?.inNewNamespace('team')] as const,
  );
  clusters = Object.fromEntries(await Promise.all(namespaces)) as typeof clusters;
}, 240_000);
afterAll(() => jobledger?.stop(), 60_000);

/** Creates a placed Job at home. */
function create(name: string, annotations: Record<string, string>, spec: object = {}): Promise<unknown> {
  const { client, namespace } = clusters.east;
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', 'sleep 1'] };
  return client.request({
    method: 'POST',
    path: `/apis/batch/v1/namespaces/${namespace}/jobs`,
    body: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, annotations },
      spec: {
        managedBy: 'jobledger.dev/placement',
        template: { spec: { restartPolicy: 'Never', containers: [container] } },
        ...spec,
      },
    },
  });
}

describe('a placed Job', () => {
  it('runs in the cluster that it names first, and its status is that of its member', async () => {
    await create('first', { 'jobledger.dev/clusters': 'west, north' });
    const done = await eventually('the Job is complete', 60, async () => {
      const job = await clusters.east.job('first');
      return job !== undefined && trueCondition(job.status ?? {}, 'Complete') !== undefined ? job : undefined;
    });
    expect(done.status).toMatchObject({ succeeded: 1 });
    expect(await clusters.west.podsOf('first')).toHaveLength(1);
    expect([...(await clusters.east.podsOf('first')), ...(await clusters.north.podsOf('first'))]).toEqual([]);
  }, 120_000);
});
