import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { lostAnswers } from '../placed-rounds/lost-answers.ts';
import { eventually } from '../support/eventually.ts';
import {
  aWitness,
  clustersVerb,
  createPlaced,
  installThreeClusters,
  isComplete,
  placedJob,
  type ThreeClusters,
} from '../support/placed-jobs.ts';
import { verifyAll } from '../support/verify.ts';

// A grant ends only with proof about its member. These tests use three control planes, and a witness records the containers.

let jobledger: ThreeClusters['jobledger'];
let clusters: ThreeClusters['clusters'];
let links: ThreeClusters['links'];
const witness = aWitness();
const losses = lostAnswers();

beforeAll(async () => {
  ({ jobledger, clusters, links } = await installThreeClusters({
    linked: true,
    requestsTo: losses.requestsTo,
    ownClusters: true,
  }));
}, 240_000);
afterAll(() => jobledger?.stop(), 60_000);

/** Resolves with the grants of a Job in SQL when all of them have ended. */
function grants(name: string): Promise<[string, string, boolean][]> {
  return eventually(`the grants of ${name} have ended`, 30, async () => {
    const rows = await jobledger.sql<{ at: string; reason: string | null; overlapped: boolean }>(
      'select placed_in as at, end_reason as reason, overlapped from jobledger.placements where job_name = $1 order by grant_number',
      [name],
    );
    if (rows.length === 0 || rows.some(({ reason }) => reason === null))
      throw new Error(JSON.stringify(rows));
    return rows.map(({ at, reason, overlapped }) => [at, reason ?? '', overlapped]);
  });
}

/** Returns the cluster of each run of a container of a Job. */
function podClusters(name: string): string[] {
  return witness.runs().flatMap(({ run, cluster }) => (run === name ? [cluster] : []));
}

function runs(name: string, seconds = 120): Promise<unknown> {
  return placedJob(clusters.east, name, 'runs', ({ status }) => status?.ready === 1, seconds);
}

describe('a member whose creation succeeded although its response was lost', () => {
  it.each([1, 2, 3])(
    'runs the placed Job to its end, although the cluster refuses the repeated creation (J-16.10; seed %i)',
    async (seed) => {
      const name = `unanswered-${seed}`;
      const before = losses.unanswered;
      losses.begin('west', seed);
      try {
        await createPlaced(clusters.east, {
          name,
          annotations: { clusters: 'west, north' },
          command: witness.living(name, 5),
        });
        await eventually('the answer is lost', 60, () =>
          Promise.resolve(losses.unanswered > before ? true : undefined),
        );
        await placedJob(clusters.east, name, 'is complete', isComplete, 180);
      } finally {
        losses.end('west');
      }
      expect(podClusters(name)).toEqual(['west']);
      expect(await grants(name)).toEqual([['west', 'finished', false]]);
    },
    300_000,
  );
});

describe('a guarded member in the home cluster', () => {
  it('is deleted by the controllers of Kubernetes when no service renews its guard, and the placed Job stays (J-16.16)', async () => {
    await createPlaced(clusters.east, {
      name: 'guarded-at-home',
      annotations: { clusters: 'east, west', 'if-cluster-is-lost': 'MoveWhenStopped=10s' },
      pod: { activeDeadlineSeconds: 600 },
      command: witness.living('guarded-at-home', 300),
    });
    await runs('guarded-at-home');
    const [member] = await eventually('the member is in SQL', 30, async () => {
      const rows = await jobledger.sql<{ name: string }>(
        "select name from jobledger.jobs where cluster = 'east' and name like 'guarded-at-home-m%'",
      );
      return rows.length > 0 ? rows : undefined;
    });
    const name = member?.name ?? '';
    await jobledger.haltServices(['worker']);
    // The finalizers of the pods keep the objects until a worker is back.
    await eventually('the member and its pods are being deleted', 120, async () => {
      const isDeleted = (each: { metadata: { deletionTimestamp?: string } } | undefined): boolean =>
        each === undefined || each.metadata.deletionTimestamp !== undefined;
      const [job, pods] = await Promise.all([clusters.east.job(name), clusters.east.listPods(name)]);
      return isDeleted(job) && pods.every(isDeleted) ? true : undefined;
    });
    const home = await clusters.east.job('guarded-at-home');
    expect(home?.metadata.deletionTimestamp).toBeUndefined();
    await jobledger.startServices(['worker']);
    await runs('guarded-at-home');
    expect(witness.overlaps().filter((each) => each.startsWith('guarded-at-home:'))).toEqual([]);
    await clusters.east.deleteJob('guarded-at-home', 'Background');
  }, 400_000);
});

/** The silence is longer than the lease of the guard, its deletion and the grace period of its pods together. */
const HOME_IS_SILENT_MS = 45_000;

describe('a home cluster that does not answer', () => {
  it('does not prevent the renewal of guards in other clusters (J-16.16)', async () => {
    await createPlaced(clusters.east, {
      name: 'renewed',
      annotations: { clusters: 'north', 'if-cluster-is-lost': 'MoveWhenStopped=10s' },
      pod: { activeDeadlineSeconds: 600 },
      command: witness.living('renewed', 60),
    });
    await runs('renewed');
    links.cut('east');
    // The delay is the fault itself, so there is no condition to wait for.
    await delay(HOME_IS_SILENT_MS);
    links.heal('east');
    await placedJob(clusters.east, 'renewed', 'is complete', isComplete, 180);
    expect(podClusters('renewed')).toEqual(['north']);
    expect(await grants('renewed')).toEqual([['north', 'finished', false]]);
  }, 400_000);
});

describe('a member whose grant has ended', () => {
  it('is suspended again and reported when a person resumes it (J-16.18)', async () => {
    await createPlaced(clusters.east, {
      name: 'resumed',
      annotations: { clusters: 'west, north' },
      // In the second cluster, the Job runs until the resumed member is suspended.
      command: `case $PWD in */cluster/west/*) sleep 600 ;; *) ${witness.living('resumed', 45)} ;; esac`,
    });
    await runs('resumed');
    await clustersVerb(jobledger, 'drain', 'west', '--wait');
    await runs('resumed');
    await clusters.west.patchJob('resumed', { spec: { suspend: false } });
    await eventually('the member is suspended again', 60, async () =>
      (await clusters.west.job('resumed'))?.spec.suspend === true ? true : undefined,
    );
    const home = await placedJob(clusters.east, 'resumed', 'is complete', isComplete, 180);
    expect(await grants('resumed')).toEqual([
      ['west', 'stopped', true],
      ['north', 'finished', false],
    ]);
    expect((await clusters.east.eventsOn(home)).filter((each) => each.startsWith('Overlap'))).toHaveLength(1);
    await clustersVerb(jobledger, 'uncordon', 'west');
  }, 400_000);
});

describe('after all tests of grants,', () => {
  it('every decision is the same when it is made again, and no pods of two grants have run at once except those of the resumed member', async () => {
    expect((await verifyAll(jobledger)).findings).toEqual([]);
    expect(witness.overlaps().filter((each) => !each.startsWith('resumed:'))).toEqual([]);
  }, 120_000);
});
