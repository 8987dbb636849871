import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contains, parseIndexes, countIndexes } from '../../workflows/batch/completion-indexes.ts';
import { eventually } from '../support/eventually.ts';
import {
  aWitness,
  clustersVerb,
  createPlaced,
  installThreeClusters,
  isComplete,
  waitUntilClusterIsUsed,
  placedJob,
  type ThreeClusters,
} from '../support/placed-jobs.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { verifyAll } from '../support/verify.ts';

let jobledger: ThreeClusters['jobledger'];
let clusters: ThreeClusters['clusters'];
const witness = aWitness();

beforeAll(async () => {
  ({ jobledger, clusters } = await installThreeClusters({ ownClusters: true }));
}, 240_000);
afterAll(() => jobledger?.stop(), 60_000);

/** With `JOBLEDGER_TEST_INDEXES=200`, the Job has the size that the acceptance test of placed Jobs requires. */
const INDEXES = Number(process.env['JOBLEDGER_TEST_INDEXES'] ?? 20);

const WEST_FIRST = { clusters: 'west, north' };

interface Placement {
  placed_in: string;
  end_reason: string | null;
  overlapped: boolean;
}

/** Resolves with the grants of a Job in SQL when this number of them have ended. */
function placements(name: string, ended: number): Promise<Placement[]> {
  return eventually(`${ended} placements of ${name} have ended`, 30, async () => {
    const rows = await jobledger.sql<Placement>(
      'select placed_in, end_reason, overlapped from jobledger.placements where job_name = $1 order by grant_number',
      [name],
    );
    return rows.filter(({ end_reason: reason }) => reason !== null).length >= ended ? rows : undefined;
  });
}

const story = sideBySide();

describe('a cluster that is drained', () => {
  story(
    'is left by its placed Jobs, and the printed list equals the ledger (J-16.12)',
    async () => {
      const lives = (seconds: number): string =>
        `{ ${witness.living('drained-$JOB_COMPLETION_INDEX', seconds)}; }`;
      await createPlaced(clusters.east, {
        name: 'drained',
        annotations: WEST_FIRST,
        spec: { completions: INDEXES, parallelism: INDEXES / 5, completionMode: 'Indexed' },
        // In west, all but the first pods run until the drain stops them, however long the verb takes on a busy machine.
        command: `case $PWD in */cluster/west/*) [ $JOB_COMPLETION_INDEX -lt ${INDEXES / 5} ] || ${lives(600)} ;; esac; ${lives(3)}`,
      });
      await placedJob(
        clusters.east,
        'drained',
        'has finished some',
        ({ status }) => (status?.succeeded ?? 0) >= INDEXES / 6,
        120,
      );
      const output = await clustersVerb(jobledger, 'drain', 'west', '--wait');
      const printed = /drained +drained +(?<pods>\d+) +(?<indexes>\d+) +(?:stops|runs)/.exec(output)?.groups;
      expect(Number(printed?.['indexes'])).toBeLessThanOrEqual(INDEXES / 5);
      expect(Number(printed?.['pods'])).toBeGreaterThan(0);
      expect(output).toContain('no placed Job is in west');
      const done = await placedJob(clusters.east, 'drained', 'is complete', isComplete, 300);
      expect(done.status).toMatchObject({ succeeded: INDEXES, completedIndexes: `0-${INDEXES - 1}` });
      expect(await placements('drained', 2)).toEqual([
        { placed_in: 'west', end_reason: 'stopped', overlapped: false },
        { placed_in: 'north', end_reason: 'finished', overlapped: false },
      ]);
      const { completedIndexes = '', succeeded } = (await clusters.west.job('drained'))?.status ?? {};
      const recorded = parseIndexes(completedIndexes, INDEXES);
      expect(countIndexes(recorded)).toBe(succeeded);
      const runs = witness
        .runs()
        .filter(({ run, cluster }) => run.startsWith('drained-') && cluster === 'north');
      expect(runs.filter(({ run }) => contains(recorded, Number(run.slice('drained-'.length))))).toEqual([]);
      expect(runs.filter(({ isDone }) => isDone)).toHaveLength(INDEXES - (succeeded ?? 0));
      expect(witness.overlaps()).toEqual([]);
      const [pods] = await jobledger.sql<{ west: number; north: number }>(
        `select count(*) filter (where cluster = 'west')::int as west, count(*) filter (where cluster = 'north')::int as north
        from jobledger.pods where job_name like 'drained%'`,
      );
      // A pod that succeeds while it is stopped does not count, because the other cluster has its index by then.
      expect(pods?.north).toBe(INDEXES - (succeeded ?? 0));
      expect((pods?.west ?? 0) - (succeeded ?? 0)).toBeLessThanOrEqual(INDEXES / 5);
      const left = await jobledger.sql(
        "select from jobledger.cluster_as_of('west', now()) where job_name = 'drained'",
      );
      expect(left).toEqual([]);
      await clustersVerb(jobledger, 'uncordon', 'west');
      await waitUntilClusterIsUsed(clusters.east, 'west');
    },
    600_000,
  );
});

describe('a Job with a guard, in a cluster that answers', () => {
  story(
    'stays in the cluster for longer than its guard lasts, because the guard is renewed (J-16.16)',
    async () => {
      await createPlaced(clusters.east, {
        name: 'guarded',
        annotations: { clusters: 'north, west', 'if-cluster-is-lost': 'MoveWhenStopped=10s' },
        pod: { activeDeadlineSeconds: 300 },
        command: witness.living('guarded', 15),
        spec: { backoffLimit: 0 },
      });
      await placedJob(clusters.east, 'guarded', 'runs', ({ status }) => status?.ready === 1, 120);
      expect((await clusters.north.job('guarded-guard'))?.status?.startTime).toBeDefined();
      const done = await placedJob(clusters.east, 'guarded', 'is complete', isComplete, 120);
      await eventually('the guard is gone, the member stays for its logs', 60, async () =>
        (await clusters.north.job('guarded-guard')) === undefined ? true : undefined,
      );
      expect(await clusters.north.job('guarded')).toBeDefined();
      expect(done.status).toMatchObject({ succeeded: 1 });
      expect(await placements('guarded', 1)).toEqual([
        { placed_in: 'north', end_reason: 'finished', overlapped: false },
      ]);
    },
    240_000,
  );
});

describe('a cluster whose API server is dead while its pods still run', () => {
  it('loses Jobs that may run twice, and others when a person declares the cluster lost (J-16.13 to J-16.15, J-16.18)', async () => {
    // In the dead cluster, the pods run for longer than the time after which the cluster counts as silent.
    const living = (name: string): string =>
      `case $PWD in */cluster/west/*) ${witness.living(name, 20)} ;; *) ${witness.living(name, 2)} ;; esac`;
    await createPlaced(clusters.east, { name: 'waits', annotations: WEST_FIRST, command: living('waits') });
    await createPlaced(clusters.east, {
      name: 'twice',
      annotations: { ...WEST_FIRST, 'if-cluster-is-lost': 'MoveAfter=5s' },
      command: living('twice'),
    });
    for (const name of ['waits', 'twice'])
      await placedJob(clusters.east, name, 'runs', ({ status }) => status?.ready === 1);
    await expect(clustersVerb(jobledger, 'lost', 'west')).rejects.toThrow('the cluster west answers');
    await jobledger.servers.halt('west-kube-apiserver');
    const silent = await placedJob(
      clusters.east,
      'waits',
      'is silent',
      ({ status }) => status?.conditions?.some(({ reason }) => reason === 'ClusterSilent') === true,
      120,
    );
    expect(silent.status?.conditions?.[0]).toMatchObject({ type: 'jobledger.dev/Placed', status: 'Unknown' });
    await placedJob(clusters.east, 'twice', 'is complete', isComplete, 120);
    expect(
      (await placements('twice', 2)).map(({ placed_in: at, end_reason: reason }) => [at, reason]),
    ).toEqual([
      ['west', 'time'],
      ['north', 'finished'],
    ]);
    expect(await clusters.north.listPods('waits-m2')).toEqual([]);
    // The dead cluster does not delay other Jobs.
    await createPlaced(clusters.east, { name: 'other', annotations: { clusters: 'north' } });
    await placedJob(clusters.east, 'other', 'is complete', isComplete);
    await clustersVerb(jobledger, 'lost', 'west');
    await placedJob(clusters.east, 'waits', 'is complete', isComplete, 120);
    expect(
      (await placements('waits', 2)).map(({ placed_in: at, end_reason: reason }) => [at, reason]),
    ).toEqual([
      ['west', 'lost'],
      ['north', 'finished'],
    ]);
    await jobledger.servers.start('west-kube-apiserver');
    await clustersVerb(jobledger, 'found', 'west');
    await waitUntilClusterIsUsed(clusters.east, 'west');
  }, 400_000);
});

describe('a guarded member in another cluster than the home', () => {
  it('is deleted by the controllers of Kubernetes when no service renews its guard', async () => {
    await createPlaced(clusters.east, {
      name: 'unrenewed',
      annotations: { ...WEST_FIRST, 'if-cluster-is-lost': 'MoveWhenStopped=10s' },
      pod: { activeDeadlineSeconds: 600 },
      command: witness.living('unrenewed', 300),
    });
    await placedJob(clusters.east, 'unrenewed', 'runs', ({ status }) => status?.ready === 1, 120);
    await jobledger.haltServices(['worker']);
    // The finalizer of the pod keeps the objects until a worker runs again; the processes of the pod have ended.
    await eventually('the member and its pod are being deleted', 120, async () => {
      const member = await clusters.west.job('unrenewed');
      const pods = await clusters.west.listPods('unrenewed');
      const isDeleted = ({ metadata }: { metadata: { deletionTimestamp?: string } }): boolean =>
        metadata.deletionTimestamp !== undefined;
      return (member === undefined || isDeleted(member)) && pods.every(isDeleted) ? true : undefined;
    });
    await jobledger.startServices(['worker']);
    await placedJob(clusters.east, 'unrenewed', 'runs again', ({ status }) => status?.ready === 1, 120);
    expect(witness.overlaps().filter((each) => each.startsWith('unrenewed'))).toEqual([]);
    await clusters.east.deleteJob('unrenewed', 'Background');
  }, 300_000);
});

describe('after all tests of dead clusters,', () => {
  it('every decision is the same when it is made again, and only the Jobs that may run twice have run twice at once', async () => {
    expect((await verifyAll(jobledger)).findings).toEqual([]);
    const allowed = /^(twice|waits):/;
    expect(witness.overlaps().filter((each) => !allowed.test(each))).toEqual([]);
  }, 120_000);
});
