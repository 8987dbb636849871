import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { kubectlFor, type Kubectl } from '../support/kubectl.ts';
import { startKueue } from '../support/kueue.ts';
import { verifyAll } from '../support/verify.ts';

// `npm run test:integrations` runs Kueue itself beside Jobledger, with its webhooks and queues. Its build takes minutes, so
// jest.config.mjs leaves this file out unless JOBLEDGER_TEST_INTEGRATIONS is set.

const QUEUE = 'team-a';
/** Kueue lets admitted Jobs run on this node. */
const NODE = { 'kubernetes.io/hostname': 'local' };

let installation: Installation;
let kubectl: Kubectl;

beforeAll(async () => {
  installation = await install({ ownClusters: true });
  kubectl = kubectlFor(installation);
  await installation.startServices();
  await startKueue(installation, kubectl);
  await kubectl.pipe(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: queues() }), 'apply', '-f', '-');
}, 900_000);

afterAll(() => installation?.stop(), 60_000);

/** Returns a queue with one processor, in which a more urgent Job stops a less urgent Job. */
function queues(): object[] {
  const kueue = (kind: string, name: string, more: object): object => ({
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind,
    metadata: { name },
    ...more,
  });
  const flavors = [{ name: 'local', resources: [{ name: 'cpu', nominalQuota: '1' }] }];
  const spec = {
    namespaceSelector: {},
    preemption: { withinClusterQueue: 'LowerPriority' },
    resourceGroups: [{ coveredResources: ['cpu'], flavors }],
  };
  return [
    kueue('ResourceFlavor', 'local', { spec: { nodeLabels: NODE } }),
    kueue('ClusterQueue', 'all', { spec }),
    kueue('LocalQueue', QUEUE, { spec: { clusterQueue: 'all' } }),
    kueue('WorkloadPriorityClass', 'urgent', { value: 1000, description: 'before all others' }),
  ];
}

const filePath = (name: string): string => join(installation.stateDir, `${name}-may-end`);
const mayEnd = (name: string): void => writeFileSync(filePath(name), '');

/** Creates a Job of this queue that takes the whole quota until `mayEnd`. */
function submit(name: string, labels: Record<string, string> = {}): Promise<string> {
  const command = ['sh', '-c', `until [ -e ${filePath(name)} ]; do sleep 0.1; done`];
  const container = { name: 'main', image: 'none', command, resources: { requests: { cpu: '1' } } };
  const spec = {
    managedBy: OWN_MANAGER,
    template: { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container] } },
  };
  const metadata = { name, labels: { 'kueue.x-k8s.io/queue-name': QUEUE, ...labels } };
  const manifest = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec };
  return kubectl.pipe(JSON.stringify(manifest), 'create', '-f', '-');
}

const runs = (name: string): Promise<Job> =>
  installation.cluster.jobWhere(name, 'runs', ({ status }) => status?.ready === 1, 60);

const isQueued = (name: string): Promise<Job> =>
  installation.cluster.jobWhere(
    name,
    'is suspended, without pods',
    ({ spec, status = {} }) =>
      spec.suspend === true && trueCondition(status, 'Suspended') !== undefined && !status.active,
    60,
  );

/** Returns the decided creations and deletions of the pods of a Job, in order. */
async function decidedFor(name: string): Promise<string[]> {
  const rows = await installation.sql<{ kind: string }>(
    `select command ->> 'kind' as kind
     from jobledger.events, jsonb_array_elements(data -> 'commands') with ordinality as each (command, place)
     where type = 'job.decided' and job_name = $1 and command ->> 'kind' in ('CreatePods', 'DeletePods')
     order by kafka_offset, place`,
    [name],
  );
  return rows.map(({ kind }) => kind);
}

describe('a Job in a queue of Kueue', () => {
  it('waits suspended and without pods while the queue is full, and then runs on the node that Kueue chooses', async () => {
    await submit('first');
    const { spec } = await runs('first');
    expect(spec).toMatchObject({ suspend: false, template: { spec: { nodeSelector: NODE } } });
    await submit('second');
    await isQueued('second');
    expect(await installation.cluster.listPods('second')).toEqual([]);
    mayEnd('first');
    await runs('second');
    const [pod] = await installation.cluster.listPods('second');
    expect(pod).toMatchObject({ spec: { nodeSelector: NODE } });
    mayEnd('second');
    for (const name of ['first', 'second'])
      expect((await installation.cluster.finished(name)).status).toMatchObject({ succeeded: 1 });
    await eventually('Kueue counts both as finished', 30, async () => {
      const path = '{.items[*].status.conditions[?(@.type=="Finished")].reason}';
      const reasons = await kubectl.run('get', 'workloads', '-o', `jsonpath=${path}`);
      return reasons === 'Succeeded Succeeded' || undefined;
    });
  });

  it('loses its pod to a more urgent Job, and runs again with a new pod after the urgent Job', async () => {
    await submit('patient');
    const [stopped] = await runs('patient').then(() => installation.cluster.listPods('patient'));
    await submit('hasty', { 'kueue.x-k8s.io/priority-class': 'urgent' });
    const { status } = await isQueued('patient');
    expect(status?.startTime).toBeUndefined();
    await runs('hasty');
    expect(await installation.cluster.listPods('patient')).toEqual([]);
    mayEnd('hasty');
    await runs('patient');
    const [next] = await installation.cluster.listPods('patient');
    expect(next?.metadata.uid).not.toBe(stopped?.metadata.uid);
    mayEnd('patient');
    const ended = await installation.cluster.finished('patient');
    // The deleted pod counts neither as succeeded nor as failed.
    expect(ended.status).toMatchObject({ succeeded: 1, ready: 0 });
    expect(ended.status?.failed).toBeUndefined();
    expect(await decidedFor('patient')).toEqual(['CreatePods', 'DeletePods', 'CreatePods']);
  });

  it('has only decisions that are the same when they are made again from the ledger', async () => {
    await installation.haltServices();
    expect(await verifyAll(installation)).toMatchObject({ exitCode: 0 });
  });
});
