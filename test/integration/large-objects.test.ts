import { randomBytes } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { onPlayedCluster } from '../support/played-cluster.ts';
import type { PlayedJob } from '../support/played-job.ts';
import { sideBySide } from '../support/side-by-side.ts';

const { cluster, installation, play } = onPlayedCluster();
const story = sideBySide();

/** Text that gzip makes only half as small. */
const noise = (bytes: number): string => randomBytes(bytes / 2).toString('hex');
const noisy = (count: number, bytes: number): string[] => Array.from({ length: count }, () => noise(bytes));

/** An annotation that is recorded. */
const LARGE = 'jobledger.dev/large';

interface Recorded {
  data: { object: Record<string, unknown>; withoutTemplate?: true };
}

/** The first observation of a Job in SQL. */
function waitForRecord(name: string): Promise<Recorded> {
  return eventually(`${name} is in SQL`, 30, async () => {
    const rows = await installation().sql<Recorded>(
      "select data from jobledger.events where job_name = $1 and type like '%job.observed%' order by time limit 1",
      [name],
    );
    return rows[0];
  });
}

/** Succeeds, and is so in SQL. */
async function succeeds(job: PlayedJob): Promise<void> {
  const [pod] = await job.some(1);
  await job.succeed(pod ?? 0);
  await job.shows({ succeeded: 1 });
  await eventually(`${job.name} is complete in SQL`, 30, async () => {
    const rows = await installation().sql('select from jobledger.jobs where name = $1 and succeeded = 1', [
      job.name,
    ]);
    return rows.length === 1 ? true : undefined;
  });
}

describe('a Job as large as the API server admits', () => {
  story('runs to its end and is recorded whole when its annotations are large', async () => {
    const job = await play('annotated', { suspend: true });
    // The most that the API server admits; JSON has six bytes for each character.
    const large = '\u0001'.repeat(262_000);
    await cluster().patchJob('annotated', { metadata: { annotations: { [LARGE]: large } } });
    await cluster().patchJob('annotated', { spec: { suspend: false } });
    await succeeds(job);
    await eventually('the annotation is in SQL', 30, async () => {
      const [row] = await installation().sql<{ length: number }>(
        `select max(length(data #>> '{object,metadata,annotations,${LARGE}}')) as length from jobledger.events where job_name = 'annotated'`,
      );
      return row?.length === large.length ? true : undefined;
    });
  });

  story('runs to its end and is recorded when its template is large', async () => {
    // Names are recorded, values are not; the API server stores each name once more, in `managedFields`.
    const env = noisy(3500, 150).map((text) => ({ name: `V${text}`, value: 'v' }));
    const containers = [{ name: 'main', image: 'none', env }];
    await succeeds(await play('templated', {}, { containers }));
    expect((await waitForRecord('templated')).data.withoutTemplate).toBeUndefined();
  });

  story('runs to its end and adopts matching pods when its selector is large', async () => {
    await cluster().createPod('matching', { labels: { app: 'selected' } });
    await cluster().createPod('others', { labels: { app: 'other' } });
    const values = [...noisy(18_000, 60), 'selected'];
    const job = await play(
      'selecting',
      { manualSelector: true, selector: { matchExpressions: [{ key: 'app', operator: 'In', values }] } },
      { metadata: { labels: { app: 'selected' } } },
    );
    await job.shows({ active: 1 });
    expect((await cluster().pod('matching'))?.metadata.ownerReferences?.[0]?.name).toBe('selecting');
    expect((await cluster().pod('others'))?.metadata.ownerReferences).toBeUndefined();
    await job.kubelet.succeed('matching');
    await job.shows({ succeeded: 1 });
  });
});
