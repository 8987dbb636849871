import { describe, expect } from '@jest/globals';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import type { AuditEvent } from '../support/audit-event.ts';
import { onPlayedCluster } from '../support/played-cluster.ts';
import type { PlayedJob } from '../support/played-job.ts';
import { sideBySide } from '../support/side-by-side.ts';

// So few at a time that even a small Job reaches the limits of one sync (J-5.12, J-5.15, J-4.7).
const AT_A_TIME = 10;
const { cluster, installation, play } = onPlayedCluster({
  JOBLEDGER_MAX_PODS_PER_SYNC: String(AT_A_TIME),
  JOBLEDGER_MAX_UNCOUNTED_PODS: String(AT_A_TIME),
});
const story = sideBySide();

const scale = (job: PlayedJob, parallelism: number): Promise<unknown> =>
  cluster().patchJob(job.name, { spec: { parallelism } });

async function waitForEnd(job: PlayedJob): Promise<string> {
  await cluster().finished(job.name);
  return (await job.conditions()).at(-1) ?? '';
}

/** The requests that created pods of a Job, by the name of the pod. */
function creations(job: PlayedJob): Map<string, AuditEvent> {
  const created = installation()
    .audit()
    .filter(({ verb, objectRef }) => verb === 'create' && objectRef?.resource === 'pods')
    .filter(({ responseStatus }) => responseStatus?.code === 201)
    .map((event) => [event.objectRef?.name ?? '', event] as const);
  return new Map(created.filter(([name]) => name.startsWith(`${job.name}-`)));
}

/** For each answered command to create pods, in order, their names, and whether this command created them. */
async function readAnswers(job: PlayedJob, created: Iterable<string>): Promise<Asked[][]> {
  const text = `select data -> 'outcome' -> 'pods' as pods from jobledger.events
    where type = 'outcome.recorded' and job_name = $1 and data -> 'outcome' ->> 'kind' = 'CreatePods' order by kafka_offset`;
  return eventually(`the answers of ${job.name} are in the tables`, 20, async () => {
    const answers = (await installation().sql<{ pods: Asked[] }>(text, [job.name])).map(({ pods }) => pods);
    const known = new Set(answers.flat().map(({ name, result }) => (result === 'created' ? name : '')));
    return [...created].every((name) => known.has(name)) ? answers : undefined;
  });
}

interface Asked {
  name: string;
  result: string;
}

/**
 * The creations of a command in batches of 1, 2, 4 … The place of a pod in its command says in which: on a slow machine a command ends
 * with the pods done so far, and the next one begins with one pod again.
 */
function creationBatches(pods: readonly Asked[], created: ReadonlyMap<string, AuditEvent>): AuditEvent[][] {
  const batches: AuditEvent[][] = [];
  for (let at = 0, size = 1; at < pods.length; at += size, size *= 2) {
    const batch = pods.slice(at, at + size).filter(({ result }) => result === 'created');
    batches.push(batch.flatMap(({ name }) => created.get(name) ?? []));
  }
  return batches.filter((batch) => batch.length > 0);
}

/** The batches that began before all requests of the batch before were answered, by the clock of the API server. */
function tooEarly(batches: readonly AuditEvent[][]): string[] {
  const begun = batches.map((batch) => batch.map((event) => event.requestReceivedTimestamp).toSorted()[0]);
  const answered = batches.map((batch) =>
    batch
      .map((event) => event.stageTimestamp)
      .toSorted()
      .at(-1),
  );
  return begun.flatMap((at = '', index) => {
    const before = answered[index - 1] ?? '';
    return at < before ? [`batch ${index} began at ${at}, the one before ended at ${before}`] : [];
  });
}

describe('the parallelism of a Job', () => {
  story(
    'may fall by more than the limit of failures and rise again, and deleted pods are not counted (J-5.35)',
    async () => {
      const job = await play('changing', { parallelism: 5, backoffLimit: 2 });
      await job.shows({ active: 5 });
      await scale(job, 2);
      await job.shows({ active: 2 });
      await scale(job, 4);
      await job.shows({ active: 4 });
      await Promise.all((await job.some(4)).map((pod) => job.succeed(pod)));
      await job.shows({ succeeded: 4 });
      expect(await waitForEnd(job)).toMatch(/^Complete=True CompletionsReached/);
    },
  );

  story('of zero pauses the Job, which continues when the value is raised (J-5.35)', async () => {
    const job = await play('paused', { parallelism: 0, completions: 2, completionMode: 'Indexed' });
    await job.shows({});
    expect((await job.now()).status?.startTime).toBeDefined();
    await scale(job, 2);
    await job.succeed(0);
    await job.shows({ active: 1, succeeded: 1, completedIndexes: '0' });
    await scale(job, 0);
    await job.shows({ succeeded: 1, completedIndexes: '0' });
    expect(await job.conditions()).toEqual([]);
    await scale(job, 1);
    await job.succeed(1);
    await job.shows({ succeeded: 2, completedIndexes: '0,1' });
  });

  story('creates no more pods than the missing completions (J-5.11)', async () => {
    const job = await play('eager', { parallelism: 5, completions: 3 });
    await job.shows({ active: 3 });
    const [first] = await job.some(3);
    if (first !== undefined) await job.succeed(first);
    await job.shows({ active: 2, succeeded: 1 });
    expect(await cluster().listPods('eager')).toHaveLength(3);
  });

  story('is reduced by the deletion of the pods that have achieved least (J-5.31)', async () => {
    const job = await play('choosing', { parallelism: 6, completions: 6 });
    const names = (await job.some(6)).map(({ metadata }) => metadata.name);
    const [unassigned = '', pending = '', unready = '', young = '', restless = '', steady = ''] = names;
    await Promise.all(names.filter((name) => name !== unassigned).map((name) => job.kubelet.bind(name)));
    await job.kubelet.run(unready);
    await Promise.all([young, restless, steady].map((name) => job.kubelet.ready(name)));
    const since = (at: string): unknown => [{ type: 'Ready', status: 'True', lastTransitionTime: at }];
    const restarted = { name: 'main', image: 'none', imageID: '', ready: true, restartCount: 3, state: {} };
    await job.kubelet.report(young, { conditions: since('2026-01-01T00:00:09Z') });
    await job.kubelet.report(steady, { conditions: since('2026-01-01T00:00:01Z') });
    await job.kubelet.report(restless, {
      conditions: since('2026-01-01T00:00:01Z'),
      containerStatuses: [restarted],
    });
    await job.shows({ active: 6, ready: 3 });
    for (const [done, next] of [unassigned, pending, unready, young, restless].entries()) {
      await scale(job, 5 - done);
      const left = await eventually(`one pod less than ${6 - done}`, 20, async () => {
        const pods = await job.active();
        return pods.length === 5 - done ? pods : undefined;
      });
      expect(left.map(({ metadata }) => metadata.name)).not.toContain(next);
    }
    expect((await job.active()).map(({ metadata }) => metadata.name)).toEqual([steady]);
  });
});

describe('a Job without completions', () => {
  story('replaces failed pods until a pod succeeds, then waits for the others (J-5.11, J-6.7)', async () => {
    const job = await play('queue', { parallelism: 5 });
    await job.shows({ active: 5 });
    const [first, second] = await job.some(5);
    await Promise.all([first, second].map((pod) => job.kubelet.ready(pod?.metadata.name ?? '')));
    await job.shows({ active: 5, ready: 2 });
    await Promise.all([first, second].map((pod) => job.kubelet.fail(pod?.metadata.name ?? '')));
    await job.shows({ active: 5, failed: 2 });
    const pods = await job.some(5);
    await job.succeed(nth(pods, 0));
    await job.shows({ active: 4, succeeded: 1, failed: 2 });
    await Promise.all([job.fail(nth(pods, 1)), job.fail(nth(pods, 2))]);
    await job.shows({ active: 2, succeeded: 1, failed: 4 });
    await Promise.all([job.succeed(nth(pods, 3)), job.succeed(nth(pods, 4))]);
    await job.shows({ succeeded: 3, failed: 4 });
    expect(await waitForEnd(job)).toMatch(/^Complete=True CompletionsReached/);
  });
});

describe('a Job with more pods than one sync creates, counts or deletes', () => {
  story('creates its pods in batches of 1, 2, 4 … in each sync (J-5.15, J-5.18)', async () => {
    const job = await play('batched', { parallelism: 25, completions: 25 });
    await job.shows({ active: 25 });
    const created = creations(job);
    expect(created.size).toBe(25);
    const answers = await readAnswers(job, created.keys());
    for (const pods of answers) expect(pods.length).toBeLessThanOrEqual(AT_A_TIME);
    expect(tooEarly(answers.flatMap((pods) => creationBatches(pods, created)))).toEqual([]);
  });

  story('replaces and counts each pod once (J-4.7, J-5.12)', async () => {
    const job = await play('fifty', { parallelism: 54, completions: 56 });
    await job.shows({ active: 54 });
    const pods = await job.some(54);
    await Promise.all(pods.slice(0, 52).map(({ metadata }) => job.kubelet.ready(metadata.name)));
    await job.shows({ active: 54, ready: 52 });
    await Promise.all(pods.slice(0, 2).map((pod) => job.fail(pod)));
    await job.shows({ active: 54, ready: 50, failed: 2 });
    await Promise.all((await job.active()).slice(0, 53).map((pod) => job.succeed(pod)));
    await job.shows({ active: 3, succeeded: 53, failed: 2 });
    await Promise.all((await job.active()).map((pod) => job.succeed(pod)));
    await job.shows({ succeeded: 56, failed: 2 });
    expect(await waitForEnd(job)).toMatch(/^Complete=True CompletionsReached/);
    const tracked = (await cluster().listPods('fifty')).filter(
      ({ metadata }) => metadata.finalizers !== undefined,
    );
    expect(tracked).toEqual([]);
  });

  story('deletes all surplus pods (J-5.12)', async () => {
    const job = await play('shrinking', { parallelism: 25, completions: 25 });
    await job.shows({ active: 25 });
    await scale(job, 1);
    await job.shows({ active: 1 });
  });
});

function nth(pods: Pod[], index: number): Pod {
  const pod = pods[index];
  if (pod === undefined) throw new Error(`pod ${index} of ${pods.length}`);
  return pod;
}
