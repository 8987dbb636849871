import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countIndexes, difference, parseIndexes, union } from '../../workflows/batch/completion-indexes.ts';
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
import { verifyAll } from '../support/verify.ts';
import { wipeCluster } from '../support/wiped-cluster.ts';

let jobledger: ThreeClusters['jobledger'];
let clusters: ThreeClusters['clusters'];
const witness = aWitness();

beforeAll(async () => {
  ({ jobledger, clusters } = await installThreeClusters({ ownClusters: true }));
}, 240_000);
afterAll(() => jobledger?.stop(), 60_000);

/** Returns the highest number of pods at the same time, by the witness. */
function mostAtOnce(name: string): number {
  const changes = witnessedRuns(name)
    .flatMap(({ from, until }) => [
      { at: from, by: 1 },
      { at: until, by: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.by - b.by);
  let [running, most] = [0, 0];
  for (const { by } of changes) most = Math.max(most, (running += by));
  return most;
}

function witnessedRuns(name: string) {
  return witness.runs().filter(({ run }) => run.startsWith(`${name}-`));
}

describe('a Job that is spread over three clusters', () => {
  it('runs each index once, and about a third of the indexes in each cluster (J-17.2 to J-17.6)', async () => {
    await createPlaced(clusters.east, {
      name: 'even',
      annotations: { spread: 'even' },
      spec: { completions: 60, parallelism: 12, completionMode: 'Indexed' },
      command: witness.living('even-$JOB_COMPLETION_INDEX', 1),
    });
    const done = await placedJob(clusters.east, 'even', 'is complete', isComplete, 240);
    expect(done.status).toMatchObject({ succeeded: 60, completedIndexes: '0-59' });
    const runs = witnessedRuns('even');
    expect(runs).toHaveLength(60);
    expect(witness.overlaps()).toEqual([]);
    expect(mostAtOnce('even')).toBeLessThanOrEqual(12);
    const shares = Object.values(Object.groupBy(runs, ({ cluster }) => cluster)).map(
      (each) => each?.length ?? 0,
    );
    expect(shares).toHaveLength(3);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(14);
    const held = await jobledger.sql<{ placed_in: string; indexes: string }>(
      "select placed_in, indexes from jobledger.granted_indexes where job_name = 'even' order by since",
    );
    expect(new Set(held.map(({ placed_in: cluster }) => cluster)).size).toBe(3);
  }, 400_000);

  it('runs every remaining index outside a drained cluster, and verify finds no difference (J-16.12, J-17.4)', async () => {
    await createPlaced(clusters.east, {
      name: 'moved',
      annotations: { spread: 'even' },
      spec: { completions: 60, parallelism: 9, completionMode: 'Indexed' },
      command: witness.living('moved-$JOB_COMPLETION_INDEX', 2),
    });
    await placedJob(clusters.east, 'moved', 'has begun', ({ status }) => (status?.succeeded ?? 0) > 3, 120);
    await clustersVerb(jobledger, 'drain', 'west', '--wait');
    const done = await placedJob(clusters.east, 'moved', 'is complete', isComplete, 240);
    expect(done.status).toMatchObject({ succeeded: 60, completedIndexes: '0-59' });
    expect(witness.overlaps()).toEqual([]);
    const runs = witnessedRuns('moved').filter(({ isDone }) => isDone);
    expect(new Set(runs.map(({ run }) => run)).size).toBe(60);
    expect((await verifyAll(jobledger)).findings).toEqual([]);
  }, 400_000);

  it('runs the indexes of a cluster whose etcd was emptied only after a person declares that cluster lost (J-16.13, J-16.14)', async () => {
    await clustersVerb(jobledger, 'uncordon', 'west');
    await waitUntilClusterIsUsed(clusters.east, 'west');
    await createPlaced(clusters.east, {
      name: 'wiped',
      annotations: { spread: 'even' },
      spec: { completions: 45, parallelism: 9, completionMode: 'Indexed' },
      command: witness.living('wiped-$JOB_COMPLETION_INDEX', 2),
    });
    await placedJob(clusters.east, 'wiped', 'has begun', ({ status }) => (status?.succeeded ?? 0) > 3, 120);
    await wipeCluster(jobledger, 'west', 'team');
    const left = await eventually('only indexes of the emptied cluster are left', 180, async () => {
      const { status: { completedIndexes = '', conditions = [] } = {} } =
        (await clusters.east.job('wiped')) ?? {};
      // A cluster has a row for each set of indexes that it was given.
      const sets = await jobledger.sql<{ indexes: string }>(
        "select indexes from jobledger.granted_indexes where job_name = 'wiped' and placed_in = 'west' and until is null",
      );
      const open = difference([[0, 44]], parseIndexes(completedIndexes, 45));
      const held = sets.map(({ indexes }) => parseIndexes(indexes, 45)).reduce(union, []);
      const isOfWest = countIndexes(difference(open, held)) === 0;
      const isSilent = conditions.some(({ reason }) => reason === 'ClusterSilent');
      return isOfWest && isSilent
        ? open
        : Promise.reject(new Error(JSON.stringify({ completedIndexes, held, conditions })));
    });
    expect(countIndexes(left)).toBeGreaterThan(0);
    await clustersVerb(jobledger, 'lost', 'west');
    const done = await placedJob(clusters.east, 'wiped', 'is complete', isComplete, 120);
    expect(done.status).toMatchObject({ succeeded: 45, completedIndexes: '0-44' });
    expect(witness.overlaps()).toEqual([]);
    expect((await verifyAll(jobledger)).findings).toEqual([]);
  }, 500_000);
});
