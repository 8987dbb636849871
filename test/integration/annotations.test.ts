import { describe, expect } from '@jest/globals';
import type { JobSpec, Pod } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import { onPlayedCluster } from '../support/played-cluster.ts';
import type { PlayedJob } from '../support/played-job.ts';
import { sideBySide } from '../support/side-by-side.ts';

const { cluster, installation, play } = onPlayedCluster();
const story = sideBySide();

/** A Job that has these annotations before its first pod. */
async function annotated(
  name: string,
  annotations: Record<string, string>,
  spec: Partial<JobSpec> = {},
): Promise<PlayedJob> {
  const job = await play(name, { ...spec, suspend: true });
  await cluster().patchJob(name, { metadata: { annotations } });
  await cluster().patchJob(name, { spec: { suspend: false } });
  return job;
}

async function failNext(job: PlayedJob): Promise<string> {
  const [pod] = await job.some(1);
  return (await job.fail(pod ?? 0)).metadata.name;
}

function failedPods(name: string): Promise<string[]> {
  return cluster()
    .listPods(name)
    .then((pods: Pod[]) =>
      pods.filter(({ status }) => status?.phase === 'Failed').map(({ metadata }) => metadata.name),
    );
}

describe('annotations of a Job on a real API server', () => {
  story(
    'the value backoff-seconds is the first delay, and is named in the reason to wait (J-12.8)',
    async () => {
      const job = await annotated('slow', { 'jobledger.dev/backoff-seconds': '3' });
      const failed = await failNext(job);
      const [retry] = await job.some(1);
      const finished = (await cluster().pod(failed))?.status?.containerStatuses?.[0]?.state?.terminated
        ?.finishedAt;
      const created = Date.parse(retry?.metadata.creationTimestamp ?? '');
      // Both instants are whole seconds of the API; without the annotation the delay is a tenth of a second here.
      expect((created - Date.parse(finished ?? '')) / 1000).toBeGreaterThanOrEqual(3);
      const reasons = await eventually('the decision is in SQL', 30, async () => {
        const rows = await installation().sql<{ message: string }>(
          "select waiting_message as message from jobledger.decisions where job_name = 'slow' and waiting_rule = 'J-5.40'",
        );
        return rows.length > 0 ? rows.map(({ message }) => message) : undefined;
      });
      expect(reasons[0]).toContain('the first delay is 3 s (jobledger.dev/backoff-seconds)');
      await job.succeed(retry ?? 0);
      await job.shows({ succeeded: 1, failed: 1 });
    },
  );

  story(
    'the value failed-pods-limit keeps the newest failed pods, and the status counts all (J-12.5)',
    async () => {
      const job = await annotated('tidy', { 'jobledger.dev/failed-pods-limit': '1' });
      const failed: string[] = [];
      for (const _ of [1, 2, 3]) failed.push(await failNext(job));
      await job.succeed((await job.some(1))[0] ?? 0);
      await job.shows({ succeeded: 1, failed: 3 });
      await eventually('one failed pod is left', 30, async () =>
        (await failedPods('tidy')).length === 1 ? true : undefined,
      );
      expect(await failedPods('tidy')).toEqual(failed.slice(-1));
    },
  );

  story('the value start-and-finish-events sends an Event at the start and at the end (J-12.6)', async () => {
    const job = await annotated('loud', { 'jobledger.dev/start-and-finish-events': 'true' });
    await job.succeed((await job.some(1))[0] ?? 0);
    await job.shows({ succeeded: 1 });
    const events = await eventually('the last Event is there', 30, async () => {
      const found = await cluster().eventsOn(job.created);
      return found.some((each) => each.includes('JobFinish')) ? found : undefined;
    });
    expect(events.filter((each) => /JobStart|JobFinish/.test(each))).toEqual([
      expect.stringContaining('JobStart'),
      expect.stringContaining('JobFinish'),
    ]);
  });

  story('an invalid value is reported by one Event, and changes nothing else (J-12.8)', async () => {
    const job = await annotated('odd', { 'jobledger.dev/backoff-seconds': 'soon' });
    await failNext(job);
    await job.succeed((await job.some(1))[0] ?? 0);
    await job.shows({ succeeded: 1, failed: 1 });
    const warnings = (await cluster().eventsOn(job.created)).filter((each) =>
      each.includes('InvalidAnnotation'),
    );
    expect(warnings).toEqual([expect.stringContaining('"soon" is not a whole number')]);
  });
});
