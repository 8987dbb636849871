import { describe, expect, it } from '@jest/globals';
import { guardPassedReason } from '../../services/worker/placement/commands/guard.ts';
import type { CommandContext } from '../../services/worker/activities/job/command-context.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { aPlacedWorld } from './a-placed-world.ts';
import type { SmallApi } from './a-small-api.ts';

/** A Job whose only cluster is its home, with its member and a guard of 30 s. */
async function aGuardedJobAtHome() {
  const world = aPlacedWorld({
    annotations: { 'if-cluster-is-lost': 'MoveWhenStopped=30s' },
    podSpec: { activeDeadlineSeconds: 60 },
    clusters: ['east'],
  });
  await world.work();
  const guard = world.job('east', 'pi-m1-guard');
  guard.status = { startTime: new Date(world.now).toISOString() };
  Object.assign(guard.metadata, {
    managedFields: [{ manager: 'kube-controller-manager', subresource: 'status' }],
  });
  world.pass(1);
  await world.work();
  world.shows('east', 'pi-m1', { active: 4, ready: 4, startTime: new Date(world.now).toISOString() });
  await world.work();
  return world;
}

/** As Kubernetes: an object is deleted when none of its owners lives; while one does, the reference to one that is gone is removed. */
function collectGarbage({ jobs }: SmallApi): void {
  const lives = (uid: string): boolean => [...jobs.values()].some(({ metadata }) => metadata.uid === uid);
  for (const [name, { metadata }] of jobs) {
    const { ownerReferences = [] } = metadata;
    if (ownerReferences.length === 0) continue;
    metadata.ownerReferences = ownerReferences.filter(({ uid }) => lives(uid));
    if (metadata.ownerReferences.length === 0) jobs.delete(name);
  }
}

/** Why the worker of the member's cluster creates no pod for it; null: it may. */
function passed({ client, now }: SmallApi, { metadata }: Job): Promise<string | null> {
  const { namespace, name, uid } = metadata;
  const job = { cluster: client.cluster, namespace, name, uid };
  const context = { client, job, signal: new AbortController().signal, now } as unknown as CommandContext;
  return guardPassedReason(context, { metadata });
}

describe('a member with a guard in the home cluster (J-16.16)', () => {
  it('is deleted with its guard, which is its only owner', async () => {
    const world = await aGuardedJobAtHome();
    const east = world.api('east');
    expect(world.job('east', 'pi-m1').metadata.ownerReferences).toMatchObject([{ name: 'pi-m1-guard' }]);
    east.jobs.delete('pi-m1-guard');
    collectGarbage(east);
    expect([...east.jobs.keys()]).toEqual(['pi']);
  });

  it('gets no new pod when its guard is deleted, even if it has lost the owner reference', async () => {
    const world = await aGuardedJobAtHome();
    const east = world.api('east');
    const member = world.job('east', 'pi-m1');
    expect(await passed(east, member)).toBeNull();
    east.jobs.delete('pi-m1-guard');
    expect(await passed(east, member)).toBe('the guard pi-m1-guard of the Job is gone');
    delete member.metadata.ownerReferences;
    expect(await passed(east, member)).toBe('the guard pi-m1-guard of the Job is gone');
  });

  it('loses its owner reference to the guard before the guard is removed, so that the garbage collector does not delete it', async () => {
    const world = await aGuardedJobAtHome();
    const east = world.api('east');
    const asked: string[] = [];
    east.before = ({ method, path }) => void asked.push(`${method} ${path.split('/').at(-1)}`);
    world.shows('east', 'pi-m1', {
      succeeded: 4,
      completedIndexes: '0-3',
      conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' })),
    });
    expect(await world.work()).toContain('ReleaseGuard east/pi-m1');
    const deleted = asked.indexOf('DELETE pi-m1-guard');
    expect(asked.slice(0, deleted)).toContain('PATCH pi-m1');
    const member = world.job('east', 'pi-m1');
    delete member.metadata.ownerReferences;
    expect(await passed(east, member)).toBeNull();
  });
});
