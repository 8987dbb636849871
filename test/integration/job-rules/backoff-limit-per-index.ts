import { describe, expect } from '@jest/globals';
import { INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT } from '../../../workflows/kubernetes/names.ts';
import type { JobSpec, Pod } from '../../../workflows/kubernetes/objects.ts';
import { recordedDelays, podEnd } from '../../support/delays.ts';
import { eventually } from '../../support/eventually.ts';
import type { PlayedJob } from '../../support/played-job.ts';
import { passedStatus } from '../../support/passed-status.ts';
import { sideBySide } from '../../support/side-by-side.ts';
import { BACKOFF_MS, lateEnd, longBackoff } from './long-backoff.ts';

const { cluster, installation, play } = longBackoff;
const story = sideBySide();

const perIndex = (name: string, spec: Partial<JobSpec>): Promise<PlayedJob> =>
  play(name, {
    completionMode: 'Indexed',
    parallelism: spec.completions ?? 2,
    completions: 2,
    backoffLimitPerIndex: 1,
    ...spec,
  });

const failureAnnotations = ({ metadata }: Pod): (string | undefined)[] => [
  metadata.annotations?.[INDEX_FAILURE_COUNT],
  metadata.annotations?.[INDEX_IGNORED_FAILURE_COUNT],
];

async function failedPods(job: PlayedJob): Promise<Pod[]> {
  return (await cluster().listPods(job.name)).filter(({ status }) => status?.phase === 'Failed');
}

/** The resourceVersions of a pod's deletion, and of the first status that counts its failure. */
async function endOfDelay(
  job: PlayedJob,
  pod: Pod,
): Promise<{ released: number; counted: number } | undefined> {
  const [found] = await installation().sql<{ released: number | null; counted: number | null }>(
    `select min((data->>'resourceVersion')::int) filter (where type = 'pod.deleted' and data->>'podUid' = $2) as released,
            min((data #>> '{object,metadata,resourceVersion}')::int)
              filter (where (data #>> '{object,status,failed}')::int > 0) as counted
     from jobledger.events where job_uid = $1`,
    [job.created.metadata.uid, pod.metadata.uid],
  );
  if (found === undefined || found.released === null || found.counted === null) return undefined;
  return { released: found.released, counted: found.counted };
}

describe('an index that fails', () => {
  story('is retried, with the number of failures annotated on the pod (J-5.7, J-5.52)', async () => {
    const job = await perIndex('retried', { backoffLimitPerIndex: 2 });
    await job.shows({ active: 2, failedIndexes: '' });
    expect(failureAnnotations(await job.at(0))).toEqual(['0', undefined]);
    await job.fail(0);
    await job.shows({ active: 2, failed: 1, failedIndexes: '' });
    expect(failureAnnotations(await job.at(0))).toEqual(['1', undefined]);
    await job.fail(0);
    await job.shows({ active: 2, failed: 2, failedIndexes: '' });
    expect(failureAnnotations(await job.at(0))).toEqual(['2', undefined]);
    await job.fail(0);
    await job.shows({ active: 1, failed: 3, failedIndexes: '0' });
    await job.succeed(1);
    await job.shows({ succeeded: 1, failed: 3, completedIndexes: '1', failedIndexes: '0' });
    expect(await job.conditions()).toEqual([
      'FailureTarget=True FailedIndexes: Job has failed indexes',
      'Failed=True FailedIndexes: Job has failed indexes',
    ]);
  });

  story('keeps its failed pod tracked and uncounted until the next pod exists (J-5.50)', async () => {
    const job = await perIndex('delayed', {});
    await job.shows({ active: 2, failedIndexes: '' });
    const failed = await job.fail(0);
    // Even when another client deletes it: its failure count is not lost.
    await cluster().deletePod(failed.metadata.name);
    const next = await job.at(0);
    expect(failureAnnotations(next)).toEqual(['1', undefined]);
    await job.shows({ active: 2, failed: 1, failedIndexes: '' });
    await eventually('it is gone', 10, async () => ((await failedPods(job)).length === 0 ? true : undefined));
    const { released, counted } = await eventually('its end is recorded', 20, () => endOfDelay(job, failed));
    const created = Number(next.metadata.resourceVersion);
    expect([released > created, counted > created]).toEqual([true, true]);
    await Promise.all([job.succeed(0), job.succeed(1)]);
    await job.shows({ succeeded: 2, failed: 1, completedIndexes: '0,1', failedIndexes: '' });
    expect((await job.conditions()).at(-1)).toMatch(/^Complete=True CompletionsReached/);
  });

  story('waits twice as long each time, independent of other indexes (J-5.44)', async () => {
    const job = await perIndex('patient', { backoffLimitPerIndex: 2 });
    await job.shows({ active: 2, failedIndexes: '' });
    await job.fail(0, lateEnd());
    await job.shows({ active: 2, failed: 1, failedIndexes: '' });
    await job.fail(0, lateEnd());
    await job.shows({ active: 2, failed: 2, failedIndexes: '' });
    await job.fail(1, lateEnd());
    await job.shows({ active: 2, failed: 3, failedIndexes: '' });
    const pods = await cluster().listPods('patient');
    const ended = pods.filter(({ status }) => status?.phase === 'Failed').map(podEnd);
    const failed = ended.toSorted((a, b) => a - b);
    const delays = await eventually('three delays are recorded', 20, async () => {
      const found = await recordedDelays(installation(), job.created.metadata.uid);
      return found.length >= failed.length ? found : undefined;
    });
    const lasted = delays.map(({ until }, at) => (until - (failed[at] ?? 0)) / BACKOFF_MS);
    expect(lasted).toEqual([1, 2, 1]);
    expect(delays.map(({ message }) => message.replace(/.*: /, ''))).toEqual([
      'back-off of index 0',
      'back-off of index 0',
      'back-off of index 1',
    ]);
  });
});

describe('a Job with backoffLimitPerIndex', () => {
  story('fails by the limit of the whole Job if that is reached first (J-6.21)', async () => {
    const job = await perIndex('global', { completions: 3, backoffLimit: 2 });
    await job.shows({ active: 3, failedIndexes: '' });
    await job.fail(0);
    await job.shows({ active: 3, failed: 1, failedIndexes: '' });
    await job.fail(1);
    await job.shows({ active: 3, failed: 2, failedIndexes: '' });
    await job.fail(2);
    await job.shows({ failed: 5, failedIndexes: '' });
    await passedStatus(installation(), job, { terminating: 2, failed: 5, failedIndexes: '' });
    expect((await job.conditions()).at(-1)).toMatch(/^Failed=True BackoffLimitExceeded/);
  });

  story('fails early when more indexes fail than maxFailedIndexes (J-6.20)', async () => {
    const job = await perIndex('most', { completions: 3, backoffLimitPerIndex: 0, maxFailedIndexes: 1 });
    await job.shows({ active: 3, failedIndexes: '' });
    await job.fail(0);
    await job.shows({ active: 2, failed: 1, failedIndexes: '0' });
    await job.fail(1);
    await job.shows({ failed: 3, failedIndexes: '0,1' });
    await passedStatus(installation(), job, { terminating: 1, failed: 3, failedIndexes: '0,1' });
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    expect(await job.conditions()).toEqual([
      `FailureTarget=True MaxFailedIndexesExceeded: ${message}`,
      `Failed=True MaxFailedIndexesExceeded: ${message}`,
    ]);
  });

  story(
    'fails an index at once by FailIndex, and annotates ignored failures separately (J-5.7, J-6.10)',
    async () => {
      const rules = [
        { action: 'FailIndex', onExitCodes: { operator: 'In', values: [13] } },
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      ];
      const job = await perIndex('chosen', { podFailurePolicy: { rules } });
      await job.shows({ active: 2, failedIndexes: '' });
      await job.fail(0, { exitCodes: { main: 13 } });
      await job.shows({ active: 1, failed: 1, failedIndexes: '0' });
      await job.fail(1, {
        exitCodes: { main: 1 },
        conditions: [{ type: 'DisruptionTarget', status: 'True' }],
      });
      await eventually('index 1 is tried again', 30, async () => {
        const next = await job.at(1);
        return failureAnnotations(next)[1] === '1' ? next : undefined;
      });
      expect(failureAnnotations(await job.at(1))).toEqual(['0', '1']);
      await job.shows({ active: 1, failed: 1, failedIndexes: '0' });
      await job.succeed(1);
      await job.shows({ succeeded: 1, failed: 1, completedIndexes: '1', failedIndexes: '0' });
      expect((await job.conditions()).at(-1)).toMatch(/^Failed=True FailedIndexes/);
    },
  );
});
