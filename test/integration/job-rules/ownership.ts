import { describe, expect } from '@jest/globals';
import { CONTROLLER_UID_LABEL, RESERVED_FINALIZER } from '../../../workflows/kubernetes/names.ts';
import type { Job, JobSpec, Pod } from '../../../workflows/kubernetes/objects.ts';
import { eventually } from '../../support/eventually.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import type { PlayedJob } from '../../support/played-job.ts';
import { playKubelet, type PlayedKubelet } from '../../support/played-kubelet.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { cluster, play } = onOwnPlayedCluster();
const story = sideBySide();
const kubelet = (): PlayedKubelet => playKubelet(cluster().client);

/** A Job that selects pods by its author's label. */
const selecting = (name: string, app: string, spec: Partial<JobSpec> = {}): Promise<PlayedJob> =>
  play(
    name,
    { manualSelector: true, selector: { matchLabels: { app } }, ...spec },
    { metadata: { labels: { app } } },
  );

async function podsLabelled(app: string): Promise<Pod[]> {
  const path = `/api/v1/namespaces/default/pods?labelSelector=app=${app}`;
  return (await cluster().client.request<{ items: Pod[] }>({ method: 'GET', path })).items;
}

const controllerUids = ({ metadata }: Pod): string[] =>
  (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).map(({ uid }) => uid);

describe('a Job that names no controller, or the built-in one', () => {
  story('runs to its end, with its pods tracked by the reserved finalizer (J-4.33)', async () => {
    const job = await play('plain');
    await job.shows({ active: 1 });
    const [pod] = await job.some(1);
    expect(pod?.metadata.finalizers).toEqual([RESERVED_FINALIZER]);
    await kubelet().ready(pod?.metadata.name ?? '');
    await job.shows({ active: 1, ready: 1 });
    await kubelet().succeed(pod?.metadata.name ?? '');
    await job.shows({ succeeded: 1 });
    expect((await cluster().pod(pod?.metadata.name ?? ''))?.metadata.finalizers).toBeUndefined();
  });

  story('by its reserved name is controlled too (J-15.10)', async () => {
    const job = await play('reserved', { managedBy: 'kubernetes.io/job-controller' });
    const [pod] = await job.some(1);
    await kubelet().succeed(pod?.metadata.name ?? '');
    await job.shows({ succeeded: 1 });
  });
});

describe('a pod without controller', () => {
  story('that matches is adopted, not replaced, and counted when it ends (J-3.32)', async () => {
    await cluster().createPod('orphan', { labels: { app: 'adopting' } });
    const job = await selecting('adopting', 'adopting');
    await job.shows({ active: 1 });
    const pod = await cluster().pod('orphan');
    expect(pod?.metadata).toMatchObject({
      labels: { app: 'adopting' },
      finalizers: [RESERVED_FINALIZER],
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: 'adopting',
          uid: job.created.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    await kubelet().succeed('orphan');
    await job.shows({ succeeded: 1 });
    expect(await podsLabelled('adopting')).toHaveLength(1);
  });

  story('that has ended is adopted and counted as well (J-1.10)', async () => {
    await cluster().createPod('ended', { labels: { app: 'ended' } });
    await kubelet().succeed('ended');
    const job = await selecting('with-ended', 'ended');
    await job.shows({ succeeded: 1 });
    expect(await podsLabelled('ended')).toHaveLength(1);
  });

  story('that matches two Jobs goes to one, and the other creates its own (J-3.35)', async () => {
    await cluster().createPod('wanted', { labels: { app: 'both' } });
    const [one, other] = await Promise.all([selecting('one', 'both'), selecting('other', 'both')]);
    await one.shows({ active: 1 });
    await other.shows({ active: 1 });
    const pods = await podsLabelled('both');
    expect(pods).toHaveLength(2);
    expect(pods.flatMap(controllerUids).toSorted()).toEqual(
      [one.created.metadata.uid, other.created.metadata.uid].toSorted(),
    );
  });
});

describe('a pod whose labels no longer match', () => {
  story('is released, not counted, and replaced (J-3.33)', async () => {
    const job = await play('releasing');
    const [pod] = await job.some(1);
    const name = pod?.metadata.name ?? '';
    await cluster().patchPod(name, { metadata: { labels: { [CONTROLLER_UID_LABEL]: 'nobody' } } });
    const released = await eventually('it has no controller', 10, async () => {
      const now = await cluster().pod(name);
      return now !== undefined && now.metadata.ownerReferences === undefined ? now : undefined;
    });
    expect(released.metadata.finalizers).toBeUndefined();
    expect(released.metadata.deletionTimestamp).toBeUndefined();
    const [next] = await eventually('another took its place', 10, async () => {
      const pods = (await job.active()).filter(({ metadata }) => metadata.name !== name);
      return pods.length === 1 ? pods : undefined;
    });
    await kubelet().fail(name);
    await kubelet().succeed(next?.metadata.name ?? '');
    await job.shows({ succeeded: 1 });
  });
});

describe('a Job with the selector of a deleted one that left its pods', () => {
  story('takes over the running pods (J-1.10)', async () => {
    const old = await selecting('old', 'handed-over', { parallelism: 2, completions: 2 });
    await old.shows({ active: 2 });
    await cluster().deleteJob('old', 'Orphan');
    const orphans = await eventually('its pods have no controller and no finalizer', 20, async () => {
      const pods = await podsLabelled('handed-over');
      const isFree = pods.every(
        ({ metadata }) => metadata.ownerReferences === undefined && metadata.finalizers === undefined,
      );
      return isFree && (await cluster().job('old')) === undefined ? pods : undefined;
    });
    expect(orphans).toHaveLength(2);
    const heir = await selecting('heir', 'handed-over', { parallelism: 2, completions: 2 });
    await heir.shows({ active: 2 });
    for (const { metadata } of orphans) await kubelet().succeed(metadata.name);
    await heir.shows({ succeeded: 2 });
    expect((await podsLabelled('handed-over')).map(({ metadata }) => metadata.uid).toSorted()).toEqual(
      orphans.map(({ metadata }) => metadata.uid).toSorted(),
    );
  });
});

describe('a Job created again under the same name', () => {
  story('inherits nothing from the first Job: no count, no delay, no pod (J-3.15)', async () => {
    const first = await play('created-again', { backoffLimit: 3 });
    const [pod] = await first.some(1);
    await first.fail(pod ?? 0);
    await first.shows({ active: 1, failed: 1 });
    await cluster().deleteJob('created-again', 'Background');
    const second = await play('created-again');
    await second.shows({ active: 1 });
    const [own] = await eventually('the pods of the first are gone', 20, async () => {
      const pods = await cluster().listPods('created-again');
      return pods.length === 1 ? pods : undefined;
    });
    expect(own === undefined ? [] : controllerUids(own)).toEqual([second.created.metadata.uid]);
    await kubelet().succeed(own?.metadata.name ?? '');
    await second.shows({ succeeded: 1 });
  });

  story('belongs to the controller that it names, independent of the first Job (J-15.3)', async () => {
    const others = { managedBy: 'acme.io/other' };
    const foreign = await play('handed', others);
    await cluster().deleteJob('handed', 'Background');
    await eventually('the first is gone', 20, async () => !(await cluster().job('handed')) || undefined);
    const ours = await play('handed');
    await ours.shows({ active: 1 });
    await cluster().deleteJob('handed', 'Background');
    await eventually('the second is gone', 20, async () => !(await cluster().job('handed')) || undefined);
    const again = await play('handed', others);
    const witness = await play('handed-witness');
    await witness.shows({ active: 1 });
    expect((await again.now()).status).toEqual({});
    const owners = (await cluster().listPods('handed')).flatMap(controllerUids);
    expect(owners).not.toContain(again.created.metadata.uid);
    expect(foreign.created.status).toEqual({});
  });
});

describe('a Job that is managed by others', () => {
  story('is left alone, and so are pods that it would match (J-15.9)', async () => {
    const foreign = await selecting('foreign', 'foreign', { managedBy: 'acme.io/other' });
    await cluster().createPod('foreign-pod', { labels: { app: 'foreign' } });
    const witness = await play('witness');
    await witness.shows({ active: 1 });
    const job: Job = await foreign.now();
    expect(job.status).toEqual({});
    expect((await podsLabelled('foreign')).flatMap(controllerUids)).toEqual([]);
  });
});
