import { describe, expect } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import type { PlayedJob } from '../../support/played-job.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { cluster, installation, play } = onOwnPlayedCluster();
const story = sideBySide();

/** Our status writes that the API server accepted. */
function writesTo(job: PlayedJob): number {
  return installation()
    .audit()
    .filter(({ objectRef }) => objectRef?.resource === 'jobs' && objectRef.subresource === 'status')
    .filter(({ objectRef, responseStatus }) => objectRef?.name === job.name && responseStatus?.code === 200)
    .length;
}

const foreign = { type: 'example.com/Seen', status: 'True', reason: 'Another client', message: 'was here' };

function addCondition(job: PlayedJob): Promise<unknown> {
  return cluster().client.request({
    method: 'PATCH',
    path: `/apis/batch/v1/namespaces/default/jobs/${job.name}/status`,
    body: { status: { conditions: [foreign] } },
    contentType: 'application/strategic-merge-patch+json',
  });
}

describe('the status of a Job', () => {
  story('is that of the built-in controller from the first write on (J-1.22, J-1.26)', async () => {
    const job = await play('first-write', { parallelism: 2, completions: 3 });
    await job.shows({ active: 2 });
    const { startTime, ...status } = (await job.now()).status ?? {};
    expect(status).toEqual({ active: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(startTime).toBeDefined();
    const indexed = await play('first-per-index', {
      completionMode: 'Indexed',
      completions: 1,
      backoffLimitPerIndex: 1,
    });
    await indexed.shows({ active: 1, failedIndexes: '' });
    expect(Object.keys((await indexed.now()).status ?? {}).toSorted()).toEqual([
      'active',
      'failedIndexes',
      'ready',
      'startTime',
      'terminating',
      'uncountedTerminatedPods',
    ]);
  });

  story('is written at most once a second while pods change (J-3.2)', async () => {
    const job = await play('busy', { parallelism: 12, completions: 12 });
    await job.shows({ active: 12 });
    const from = Date.now();
    for (const { metadata } of await job.some(12)) {
      await job.kubelet.ready(metadata.name);
      await eventually('it is ready', 10, async () => {
        const pods = await job.active();
        const pod = pods.find((each) => each.metadata.name === metadata.name);
        return pod?.status?.phase === 'Running' ? true : undefined;
      });
    }
    await job.shows({ active: 12, ready: 12 });
    const seconds = (Date.now() - from) / 1000;
    // One beside the first: that of the pods' creation.
    expect(writesTo(job)).toBeLessThanOrEqual(2 + Math.floor(seconds));
  });

  story('is not written when nothing changed (J-3.50)', async () => {
    const job = await play('quiet', {});
    await job.shows({ active: 1 });
    const [pod] = await job.some(1);
    const name = pod?.metadata.name ?? '';
    expect(writesTo(job)).toBe(1);
    await cluster().patchJob('quiet', { metadata: { annotations: { touched: 'yes' } } });
    await cluster().patchJob('quiet', { spec: { backoffLimit: 3 } });
    await job.kubelet.bind(name);
    await job.kubelet.run(name);
    await job.kubelet.report(name, { conditions: [{ type: 'example.com/Extra', status: 'True' }] });
    await job.kubelet.ready(name);
    await job.shows({ active: 1, ready: 1 });
    expect(writesTo(job)).toBe(2);
    await job.kubelet.succeed(name);
    await job.shows({ succeeded: 1 });
    expect(writesTo(job)).toBe(3);
  });

  story('keeps conditions, labels and annotations of others (J-1.23, J-1.25)', async () => {
    const job = await play('shared', { suspend: true });
    await eventually('it is suspended', 20, async () =>
      (await job.conditions()).length === 1 ? true : undefined,
    );
    await addCondition(job);
    await cluster().patchJob('shared', {
      metadata: { annotations: { kept: 'yes' }, labels: { also: 'kept' } },
    });
    await cluster().patchJob('shared', { spec: { suspend: false } });
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.succeed(pod);
    await cluster().finished('shared');
    const { metadata, status } = await job.now();
    expect(status?.conditions).toContainEqual(expect.objectContaining(foreign));
    expect(status?.conditions?.map(({ type }) => type).toSorted()).toEqual(
      ['Complete', 'SuccessCriteriaMet', 'Suspended', foreign.type].toSorted(),
    );
    expect(metadata.annotations).toMatchObject({ kept: 'yes' });
    expect(metadata.labels).toMatchObject({ also: 'kept' });
  });

  story('is correct in the end however often others write the Job (J-3.51)', async () => {
    const job = await play('contended', { parallelism: 4, completions: 4 });
    const pods = await job.some(4);
    let writes = 0;
    const disturb = async (): Promise<void> => {
      for (; writes < 60; writes += 1)
        await cluster().patchJob('contended', { metadata: { annotations: { write: String(writes) } } });
    };
    const succeed = async (): Promise<void> => {
      for (const pod of pods) await job.succeed(pod);
    };
    await Promise.all([disturb(), succeed()]);
    await job.shows({ succeeded: 4 });
    expect((await job.now()).metadata.annotations).toMatchObject({ write: '59' });
  });

  story('after the end is never written again (J-6.37)', async () => {
    const job = await play('over', {});
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.succeed(pod);
    const ended = await cluster().finished('over');
    await cluster().patchJob('over', { spec: { parallelism: 3, suspend: true } });
    const marker = await play('after-over', {});
    await marker.shows({ active: 1 });
    expect((await job.now()).status).toEqual(ended.status);
    expect(await job.active()).toEqual([]);
  });
});
