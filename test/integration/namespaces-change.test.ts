import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { installInNamespaces, type GivenNamespaces } from '../support/given-namespaces.ts';
import { eventsOfJobs } from '../support/ledger-events.ts';
import { verifyAll } from '../support/verify.ts';

const GIVEN = ['team-a', 'team-b'];
const CALLERS = ['ingester', 'worker', 'api'];

let given: GivenNamespaces;

beforeAll(async () => {
  given = await installInNamespaces(GIVEN);
  await Promise.all(
    given.teams.map(async (team) => {
      await team.createJob('submitted', {}, {});
      await team.finished('submitted');
    }),
  );
}, 240_000);

afterAll(() => given?.installation.stop(), 60_000);

const events = (): Promise<JobEvent[]> => eventsOfJobs(given.installation.environment);

async function recorded(what: string, is: (event: JobEvent) => boolean): Promise<JobEvent> {
  return eventually(`${what} is in the ledger`, 60, async () => (await events()).find(is));
}

/** Starts the services that call the cluster again, with other namespaces. */
async function restartWith(namespaces: readonly string[]): Promise<void> {
  await given.installation.haltServices(CALLERS);
  given.installation.environment['JOBLEDGER_NAMESPACES'] = namespaces.join(',');
  await given.installation.startServices(CALLERS);
}

describe('a namespace that is removed from the installation, and added again', () => {
  const [a, b] = [() => given.teams[0] as TestCluster, () => given.teams[1] as TestCluster];
  const deletionsIn = async (namespace: string): Promise<string[]> =>
    (await events())
      .filter(({ type, subject }) => type === 'job.deleted' && subject.startsWith(`${namespace}/`))
      .map(({ subject }) => subject)
      .toSorted();

  it('has no recorded deletions while it is removed, and gets the missed deletions and a gap after its return', async () => {
    const gone = await b().job('submitted');
    const before = await deletionsIn('team-b');
    await restartWith(['team-a']);
    await b().deleteJob('submitted', 'Background');
    // A new API server has an empty watch cache: it answers older versions with 410.
    await given.installation.kill('local-kube-apiserver');
    await given.installation.answers('local-kube-apiserver');
    await a().createJob('in-between', {}, {});
    await a().finished('in-between');
    await recorded('the gap of team-a', isGapIn('team-a', 'jobs'));
    await recorded(
      'the end of a Job in team-a',
      (event) =>
        event.type === 'job.observed' &&
        event.data.object.status?.completionTime !== undefined &&
        event.subject === 'team-a/in-between',
    );
    expect(await deletionsIn('team-b')).toEqual(before);
    await restartWith(GIVEN);
    const deleted = await recorded(
      'the deletion',
      (event) => event.type === 'job.deleted' && event.data.jobUid === gone?.metadata.uid,
    );
    expect(deleted.data).toMatchObject({ seen: false });
    const gap = await recorded('the gap of team-b', isGapIn('team-b', 'jobs'));
    expect(gap.data).toHaveProperty('reason', expect.stringMatching(/^namespace team-b: /));
    expect(await deletionsIn('team-b')).toEqual([...before, 'team-b/submitted'].toSorted());
    await b().createJob('back', {}, {});
    expect((await b().finished('back')).status?.succeeded).toBe(1);
  }, 240_000);

  it('is recorded without new deletions when the installation then watches the whole cluster', async () => {
    const before = await Promise.all(GIVEN.map(deletionsIn));
    await given.kubectl.run('apply', '-f', 'infra/deploy/kubernetes/rbac.yaml');
    await restartWith([]);
    expect((await given.other.finished('not-ours')).status?.succeeded).toBe(1);
    const kubeSystem = await given.installation.cluster.client.request<{ metadata: { uid: string } }>({
      method: 'GET',
      path: '/api/v1/namespaces/kube-system',
    });
    const connected = await recorded(
      'the identity by kube-system',
      (event) => event.type === 'cluster.connected' && event.data.uid === kubeSystem.metadata.uid,
    );
    expect(connected.data).not.toHaveProperty('namespace');
    expect(await Promise.all(GIVEN.map(deletionsIn))).toEqual(before);
  }, 240_000);

  it('leaves only decisions that are the same when they are made again from the ledger', async () => {
    const verified = await verifyAll(given.installation);
    expect(verified).toMatchObject({ findings: [], exitCode: 0 });
    expect(verified.decisions).toBeGreaterThan(5);
  }, 120_000);
});

function isGapIn(namespace: string, resource: string): (event: JobEvent) => boolean {
  return (event) =>
    event.type === 'cluster.gap' && event.data.namespace === namespace && event.data.resource === resource;
}
