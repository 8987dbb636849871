import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { kubectlFor, type Kubectl } from '../support/kubectl.ts';

let installation: Installation;
let kubectl: Kubectl;

beforeAll(async () => {
  installation = await install({ ownClusters: true });
  kubectl = kubectlFor(installation);
  await createNode('spare');
  await installation.startServices();
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

/** Creates a node on which nothing runs. */
async function createNode(name: string): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { unschedulable: true } };
  await kubectl.pipe(JSON.stringify(node), 'create', '-f', '-');
}

interface Node {
  node: string;
  instance_type: string | null;
  capacity_type: string | null;
  cores: number | null;
}

function nodes(): Promise<Node[]> {
  return installation.sql<Node>(
    'select node, instance_type, capacity_type, cpu_cores::float8 as cores from jobledger.nodes order by node',
  );
}

async function shown(what: string, holds: (found: Node[]) => boolean): Promise<Node[]> {
  return eventually(`the view nodes shows ${what}`, 60, async () => {
    const found = await nodes();
    return holds(found) ? found : undefined;
  });
}

/** Runs a Job, and returns the class of the node of its attempt. */
async function classOfAttempt(name: string): Promise<object | undefined> {
  const job = await installation.cluster.createJob(name, {}, {});
  return eventually(`the attempt of ${name} is recorded`, 60, async () => {
    const [attempt] = await installation.sql<object>(
      `select node, node_instance_type as type, node_capacity_type as capacity from jobledger.attempts
       where job_uid = $1 and held_until is not null`,
      [job.metadata.uid],
    );
    return attempt;
  });
}

describe('the nodes of a cluster', () => {
  it('are recorded with their capacity, and each attempt has the class of its node', async () => {
    const found = await shown('both nodes', (all) => all.length === 2);
    expect(found.map(({ node }) => node)).toEqual(['local', 'spare']);
    expect(found[0]?.cores).toBeGreaterThan(0);
    expect(await classOfAttempt('before')).toEqual({ node: 'local', type: null, capacity: null });
  }, 120_000);

  it('are recorded again when their class changes, and earlier attempts keep the class of their time', async () => {
    // A pod is bound in a whole second, and a change in the same second counts for it.
    await eventually('the second of the binding has passed', 10, async () => {
      const [row] = await installation.sql<{ over: boolean }>(
        "select now() >= max(held_from) + interval '2 seconds' as over from jobledger.attempts",
      );
      return row?.over === true ? true : undefined;
    });
    const labels = ['node.kubernetes.io/instance-type=m7', 'karpenter.sh/capacity-type=spot'];
    await kubectl.run('label', 'node', 'local', ...labels);
    const [local] = await shown('the new class', ([first]) => first?.capacity_type === 'spot');
    expect(local).toMatchObject({ instance_type: 'm7' });
    expect(await classOfAttempt('after')).toEqual({ node: 'local', type: 'm7', capacity: 'spot' });
    const types = await installation.sql(
      'select job_name, node_capacity_type as type from jobledger.attempts order by job_name',
    );
    expect(types).toEqual([
      { job_name: 'after', type: 'spot' },
      { job_name: 'before', type: null },
    ]);
  }, 120_000);

  it('are not recorded again for heartbeats and other labels, and a deleted node is no longer shown', async () => {
    await kubectl.run('label', 'node', 'local', 'team.example/owner=ann');
    await kubectl.run('annotate', 'node', 'local', 'team.example/note=x');
    await kubectl.run('delete', 'node', 'spare');
    await shown('only the other node', (all) => all.length === 1);
    const versions = await installation.sql(
      'select node, deleted, capacity_type as type from jobledger.node_versions order by node, since',
    );
    expect(versions).toEqual([
      { node: 'local', deleted: false, type: null },
      { node: 'local', deleted: false, type: 'spot' },
      { node: 'spare', deleted: false, type: null },
      { node: 'spare', deleted: true, type: null },
    ]);
  }, 120_000);

  it('are recorded once, although the services start again', async () => {
    await installation.haltServices();
    await createNode('later');
    await installation.startServices();
    await shown('the node that came meanwhile', (all) => all.length === 2);
    const [count] = await installation.sql<{ count: number }>(
      'select count(*)::integer as count from jobledger.node_versions',
    );
    expect(count).toEqual({ count: 5 });
  }, 120_000);
});
