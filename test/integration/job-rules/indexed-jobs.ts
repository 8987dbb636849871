import { describe, expect } from '@jest/globals';
import { COMPLETION_INDEX, RESERVED_FINALIZER } from '../../../workflows/kubernetes/names.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { eventually } from '../../support/eventually.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import { completionIndex, type PlayedJob } from '../../support/played-job.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { cluster, play: playAny } = onOwnPlayedCluster();
const story = sideBySide();

const play: typeof playAny = (name, spec, pod) => playAny(name, { completionMode: 'Indexed', ...spec }, pod);

async function activeIndexes(job: PlayedJob): Promise<number[]> {
  return (await job.active()).map(completionIndex);
}

/** A pod without controller that matches the Job's selector. */
function createOrphan({ created }: PlayedJob, name: string, index?: number): Promise<Pod> {
  const { spec, metadata } = created;
  const annotations = index === undefined ? {} : { [COMPLETION_INDEX]: String(index) };
  const labels = spec.template?.metadata?.labels;
  return cluster().client.request<Pod>({
    method: 'POST',
    path: `/api/v1/namespaces/${metadata.namespace}/pods`,
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels, annotations },
      spec: spec.template?.spec,
    },
  });
}

async function isGone(name: string): Promise<boolean> {
  const { items } = await cluster().client.request<{ items: Pod[] }>({
    method: 'GET',
    path: `/api/v1/namespaces/default/pods?fieldSelector=metadata.name%3D${name}`,
  });
  return items.length === 0;
}

describe('a pod of an Indexed Job', () => {
  story('knows its index by annotation, label, hostname and variable (J-5.6)', async () => {
    const own = { name: 'JOB_COMPLETION_INDEX', value: 'own' };
    const job = await play(
      'known',
      { parallelism: 2, completions: 2 },
      {
        subdomain: 'sub',
        hostname: 'replaced',
        initContainers: [{ name: 'before', image: 'none' }],
        containers: [
          { name: 'main', image: 'none', env: [{ name: 'A', value: 'b' }] },
          { name: 'other', image: 'none', env: [own] },
        ],
      },
    );
    for (const index of [0, 1]) {
      const pod = await job.at(index);
      const { metadata, spec } = pod;
      expect(metadata.annotations?.[COMPLETION_INDEX]).toBe(String(index));
      expect(metadata.labels?.[COMPLETION_INDEX]).toBe(String(index));
      expect(metadata.generateName).toBe(`known-${index}-`);
      expect(metadata.name).toMatch(new RegExp(`^known-${index}-[bcdfghjklmnpqrstvwxz2456789]{5}$`));
      expect(spec).toMatchObject({ hostname: `known-${index}`, subdomain: 'sub' });
      const variable = {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } },
      };
      expect(spec.initContainers?.map(({ env }) => env)).toEqual([[variable]]);
      expect(spec.containers.map(({ env }) => env)).toEqual([[{ name: 'A', value: 'b' }, variable], [own]]);
    }
  });

  story('has what the template says, our finalizer and one owner (J-5.2, J-5.3, J-5.5)', async () => {
    const { client } = cluster();
    const template = {
      metadata: { labels: { a: '1' }, annotations: { b: '2' }, finalizers: ['example.com/kept'] },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none' }] },
    };
    const spec = { completionMode: 'Indexed', completions: 1, template };
    const { metadata } = await client.request<Pod>({
      method: 'POST',
      path: '/apis/batch/v1/namespaces/default/jobs',
      body: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'from-template' }, spec },
    });
    const pod = await eventually('its pod', 20, async () => (await cluster().listPods('from-template'))[0]);
    expect(pod.metadata.labels).toMatchObject({
      a: '1',
      'job-name': 'from-template',
      'controller-uid': metadata.uid,
    });
    expect(pod.metadata.annotations).toEqual({ b: '2', [COMPLETION_INDEX]: '0' });
    expect(pod.metadata.finalizers).toEqual(['example.com/kept', RESERVED_FINALIZER]);
    expect(pod.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        name: 'from-template',
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  story('of a Job with a long name has its whole index in the name (J-5.1)', async () => {
    const job = await play('a'.repeat(61), { completions: 1 });
    const { metadata, spec } = await job.at(0);
    expect(metadata.generateName).toBe(`${'a'.repeat(55)}-0-`);
    expect(metadata.name).toHaveLength(63);
    expect(spec.hostname).toBe(`${'a'.repeat(61)}-0`);
  });
});

describe('an Indexed Job', () => {
  story('runs the lowest indexes first, each until one of its pods succeeded (J-5.16)', async () => {
    const job = await play('four', { parallelism: 3, completions: 4 });
    await job.shows({ active: 3 });
    expect(await activeIndexes(job)).toEqual([0, 1, 2]);
    await job.succeed(1);
    await job.shows({ active: 3, succeeded: 1, completedIndexes: '1' });
    expect(await activeIndexes(job)).toEqual([0, 2, 3]);
    await job.fail(2);
    await job.shows({ active: 3, succeeded: 1, failed: 1, completedIndexes: '1' });
    expect(await activeIndexes(job)).toEqual([0, 2, 3]);
    await Promise.all([0, 2, 3].map((index) => job.succeed(index)));
    await job.shows({ succeeded: 4, failed: 1, completedIndexes: '0-3' });
    expect(await job.conditions()).toEqual([
      'SuccessCriteriaMet=True CompletionsReached: Reached expected number of succeeded pods',
      'Complete=True CompletionsReached: Reached expected number of succeeded pods',
    ]);
  });

  story('writes completed indexes as intervals (J-1.30)', async () => {
    const job = await play('ten', { parallelism: 10, completions: 10 });
    await job.some(10);
    await Promise.all([0, 1, 3, 4, 5, 9].map((index) => job.succeed(index)));
    await job.shows({ active: 4, succeeded: 6, completedIndexes: '0,1,3-5,9' });
  });

  story('keeps one pod per index, and none without an index or out of range (J-5.30)', async () => {
    const job = await play('strict', { parallelism: 2, completions: 2 });
    const [first] = await job.some(2);
    await job.kubelet.bind(first?.metadata.name ?? '');
    await job.kubelet.ready(first?.metadata.name ?? '');
    await job.shows({ active: 2, ready: 1 });
    await Promise.all([
      createOrphan(job, 'strict-none'),
      createOrphan(job, 'strict-beyond', 2),
      createOrphan(job, 'strict-twice', 0),
    ]);
    await eventually('they are deleted', 20, async () => {
      const gone = await Promise.all(['strict-none', 'strict-beyond', 'strict-twice'].map(isGone));
      return gone.every(Boolean) ? true : undefined;
    });
    await job.shows({ active: 2, ready: 1 });
    expect((await job.at(0)).metadata.uid).toBe(first?.metadata.uid);
  });
});

describe('an elastic Indexed Job (J-5.36)', () => {
  const scale = (job: PlayedJob, to: number): Promise<unknown> =>
    cluster().patchJob(job.name, { spec: { parallelism: to, completions: to } });

  story('runs more indexes when it is scaled up', async () => {
    const job = await play('up', { parallelism: 3, completions: 3 });
    await job.shows({ active: 3 });
    await scale(job, 4);
    await Promise.all([0, 1, 2, 3].map((index) => job.succeed(index)));
    await job.shows({ succeeded: 4, completedIndexes: '0-3' });
  });

  story('forgets successes out of range, and no failures, when it is scaled down', async () => {
    const job = await play('down', { parallelism: 3, completions: 3 });
    await job.shows({ active: 3 });
    await job.succeed(1);
    await job.fail(2);
    await job.shows({ active: 2, succeeded: 1, failed: 1, completedIndexes: '1' });
    await scale(job, 1);
    await job.shows({ active: 1, failed: 1 });
    await job.succeed(0);
    await job.shows({ succeeded: 1, failed: 1, completedIndexes: '0' });
    expect((await job.conditions()).at(-1)).toMatch(/^Complete=True/);
  });

  story('runs an index again that is back in range', async () => {
    const job = await play('again', { parallelism: 3, completions: 3 });
    await job.succeed(2);
    await job.shows({ active: 2, succeeded: 1, completedIndexes: '2' });
    await scale(job, 2);
    await job.shows({ active: 2 });
    await scale(job, 3);
    await Promise.all([0, 1, 2].map((index) => job.succeed(index)));
    await job.shows({ succeeded: 3, completedIndexes: '0-2' });
  });

  story('is complete when it is scaled to zero', async () => {
    const job = await play('nothing', { parallelism: 2, completions: 2 });
    await job.shows({ active: 2 });
    await scale(job, 0);
    await eventually('it is complete', 20, async () =>
      (await job.conditions()).some((each) => each.startsWith('Complete=True')) ? true : undefined,
    );
    await job.shows({});
  });
});
