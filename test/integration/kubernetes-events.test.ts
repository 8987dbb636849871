import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { kubectlFor, type Kubectl } from '../support/kubectl.ts';
import { podNamed, postEvent } from '../support/post-event.ts';
import { jobledger, listDifferences, rebuildTables } from '../support/rebuild.ts';

// The cluster has a kube-scheduler and no node. The test reports further Events as the scheduler, the kubelet and an autoscaler do.

let installation: Installation;
let kubectl: Kubectl;
let pod: Pod;

interface Role {
  rules: { apiGroups: string[] }[];
}

interface Recorded {
  name: string;
  reason: string;
  note: string;
  related_name: string | null;
}

beforeAll(async () => {
  installation = await install({
    node: false,
    ownClusters: true,
    environment: { JOBLEDGER_AUDIT_INTERVAL_MS: '1000' },
  });
  kubectl = kubectlFor(installation);
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

/** Gives or takes the right of the ingester to read Events. */
async function allowEvents(isAllowed: boolean): Promise<void> {
  const role = JSON.parse(
    await kubectl.run('get', 'clusterrole', 'jobledger-ingester', '-o', 'json'),
  ) as Role;
  const others = role.rules.filter(({ apiGroups }) => !apiGroups.includes('events.k8s.io'));
  const rule = { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['list', 'watch'] };
  const rules = isAllowed ? [...others, rule] : others;
  await kubectl.pipe(JSON.stringify({ ...role, rules }), 'replace', '-f', '-');
}

async function recordedWithout(resources: string[]): Promise<void> {
  await eventually(`the cluster is recorded without ${resources.join() || 'nothing'}`, 60, async () => {
    const [cluster] = await installation.sql<{ not_recorded: string[] }>(
      'select not_recorded from jobledger.clusters',
    );
    return JSON.stringify(cluster?.not_recorded) === JSON.stringify(resources) ? true : undefined;
  });
}

function recorded(): Promise<Recorded[]> {
  return installation.sql(
    'select name, reason, note, related_name from jobledger.kubernetes_events order by recorded_at, event_id',
  );
}

async function recordedWith(reason: string, count = 1): Promise<Recorded[]> {
  return eventually(`${count} records with the reason ${reason}`, 60, async () => {
    const found = (await recorded()).filter((each) => each.reason === reason);
    return found.length >= count ? found : undefined;
  });
}

const nodes = (cpu: number): string =>
  `0/${cpu + 1} nodes are available: 1 node(s) had untolerated taint(s), ${cpu} Insufficient cpu.`;

describe('Events about the pod of a Job', () => {
  it('are not recorded without the right to read them, and Jobs are recorded as before', async () => {
    const { cluster } = installation;
    await allowEvents(false);
    await installation.startServices();
    await recordedWithout(['events']);
    await cluster.createJob('pi', {}, {});
    pod = await eventually('the pod of the Job exists', 60, async () => (await cluster.listPods('pi'))[0]);
    await eventually('the pod is recorded', 60, async () =>
      (await installation.sql('select from jobledger.pods')).length === 1 ? true : undefined,
    );
    await postEvent(cluster, podNamed(pod), { name: 'scheduling', note: nodes(3) });
    const { stdout } = await jobledger(installation.environment, 'clusters');
    expect(stdout).toMatch(/WITHOUT.*\n.*events /);
    expect(await recorded()).toEqual([]);
  }, 180_000);

  it('are recorded soon after the right is given, those that still exist too', async () => {
    await allowEvents(true);
    await recordedWithout([]);
    const found = await recordedWith('FailedScheduling', 2);
    const ofPod = { name: pod.metadata.name, reason: 'FailedScheduling', related_name: null };
    expect(found.toSorted((a, b) => (a.note < b.note ? -1 : 1))).toEqual([
      { ...ofPod, note: nodes(3) },
      { ...ofPod, note: expect.stringMatching(/^no nodes available to schedule pods/) },
    ]);
  }, 180_000);

  it('have one record while only numbers change, and name the preemptor', async () => {
    const { cluster } = installation;
    const events = Array.from({ length: 20 }, (_, at) => at);
    for (const at of events)
      await postEvent(cluster, podNamed(pod), { name: `scheduling-${at}`, note: nodes(at + 4) });
    await postEvent(cluster, podNamed(pod), { name: 'pulled', reason: 'Pulled', note: 'image' });
    const related = {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: cluster.namespace,
      name: 'urgent-1',
      uid: 'a0a0-1',
    };
    const preempted = { name: 'preempted', reason: 'Preempted', type: 'Normal', related };
    await postEvent(cluster, podNamed(pod), { ...preempted, note: 'Preempted by pod a0a0-1 on node n1' });
    expect(await recordedWith('Preempted')).toMatchObject([{ related_name: 'urgent-1' }]);
    expect((await recorded()).map(({ reason }) => reason)).toEqual([
      'FailedScheduling',
      'FailedScheduling',
      'Preempted',
    ]);
  }, 120_000);

  it('have a record for each new kind of text', async () => {
    const note = '0/9 nodes are available: 9 Insufficient memory.';
    await postEvent(installation.cluster, podNamed(pod), { name: 'memory', note });
    expect((await recordedWith('FailedScheduling', 3)).at(-1)?.note).toBe(note);
  }, 120_000);

  it('of the kubelet are recorded in known phrases', async () => {
    const { client, namespace } = installation.cluster;
    await client.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/events`,
      body: {
        metadata: { name: 'kubelet', namespace },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, ...podNamed(pod) },
        type: 'Warning',
        reason: 'FailedMount',
        message: 'MountVolume.SetUp failed for volume "v": token=s3cret: secret "db" not found',
        source: { component: 'kubelet', host: 'n1' },
        firstTimestamp: '2026-12-01T08:00:00Z',
        lastTimestamp: '2026-12-01T08:01:00Z',
        count: 2,
      },
    });
    expect(await recordedWith('FailedMount')).toMatchObject([
      { note: 'MountVolume.SetUp failed; secret "db" not found' },
    ]);
    const events = await installation.sql<{ text: string }>(
      'select data::text as text from jobledger.events',
    );
    expect(events.filter(({ text }) => text.includes('s3cret'))).toEqual([]);
  }, 120_000);
});

describe('an Event that claims to be about a pod of another namespace', () => {
  it('is not recorded, unlike an Event of the namespace of the pod', async () => {
    const other = await installation.cluster.inNewNamespace('other');
    await postEvent(other, podNamed(pod), { name: 'forged', reason: 'NodeNotReady', note: 'not mine' });
    await postEvent(other, podNamed(pod), { name: 'forged-2', reason: 'Evicted', note: 'not mine' });
    const own = { name: 'own', reason: 'NodeNotReady', note: 'Node is not ready' };
    await postEvent(installation.cluster, podNamed(pod), own);
    await recordedWith('NodeNotReady');
    expect((await recorded()).filter(({ note }) => note === 'not mine')).toEqual([]);
  }, 120_000);
});

describe('a namespace with 10,000 Events about pods that no Job controls', () => {
  it('delays the Events of others by no more than seconds, and has no record', async () => {
    const loud = await installation.cluster.inNewNamespace('loud');
    const all = Array.from({ length: 10_000 }, (_, at) => at);
    const sendNext = async (): Promise<void> => {
      for (let at = all.pop(); at !== undefined; at = all.pop())
        await postEvent(
          loud,
          { name: `loud-${at}`, uid: `loud-${at}` },
          { name: `loud-${at}`, note: nodes(3) },
        );
    };
    await Promise.all(Array.from({ length: 30 }, sendNext));
    const note = 'pod triggered scale-up: [{group 1->2 (max: 5)}]';
    const up = { name: 'up', reason: 'TriggeredScaleUp', type: 'Normal', note };
    const at = performance.now();
    await postEvent(installation.cluster, podNamed(pod), {
      ...up,
      reportingController: 'cluster-autoscaler',
    });
    await recordedWith('TriggeredScaleUp');
    expect(performance.now() - at).toBeLessThan(15_000);
    expect(
      await installation.sql("select from jobledger.kubernetes_events where namespace = 'loud'"),
    ).toEqual([]);
  }, 300_000);
});

describe('the Job with these Events', () => {
  it('has no decision and no signal because of them, and its decisions are repeated alike', async () => {
    const folded = await installation.sql<{ folded: string }>(
      "select e.data ->> 'folded' as folded from jobledger.events e where e.type in ('job.decided', 'job.folded')",
    );
    expect(folded.length).toBeGreaterThan(0);
    expect(folded.filter((each) => each.folded.includes('kubernetes-event'))).toEqual([]);
    expect((await jobledger(installation.environment, 'admin', 'verify', 'pi')).exitCode).toBe(0);
  }, 60_000);

  it('is explained with them', async () => {
    const history = await jobledger(installation.environment, 'history', 'pi');
    expect(history.stdout).toContain('default-scheduler reports FailedScheduling: 0/4 nodes are available');
    const why = await jobledger(installation.environment, 'why', 'pi');
    expect(why.stdout).toContain('cluster-autoscaler reports TriggeredScaleUp');
    const described = await jobledger(installation.environment, 'describe', 'pi');
    expect(described.stdout).toMatch(/Events:[^]*Preempted[^]*urgent-1/);
  }, 60_000);

  it('has the same tables after a rebuild', async () => {
    expect(listDifferences(await rebuildTables(installation.environment, '--check'))).toEqual([]);
  }, 120_000);

  it('has an obstacle for each reason, until its pod has ended', async () => {
    const open = await installation.sql<{ reason: string; texts: number }>(
      'select reason, texts from jobledger.obstacles where solved_at is null order by reason',
    );
    expect(open).toEqual(
      expect.arrayContaining([
        { reason: 'FailedScheduling', texts: 3 },
        { reason: 'Preempted', texts: 1 },
      ]),
    );
  });

  it('has no second record of an Event after another ingester has taken over', async () => {
    const before = await recorded();
    await installation.haltServices();
    await installation.startServices();
    await postEvent(installation.cluster, podNamed(pod), { name: 'again', note: nodes(7) });
    await postEvent(installation.cluster, podNamed(pod), { name: 'evicted', reason: 'Evicted', note: 'low' });
    await recordedWith('Evicted');
    expect((await recorded()).slice(0, -1)).toEqual(before);
  }, 120_000);
});
