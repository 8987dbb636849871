import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trueCondition } from '../../workflows/job/definitions/conditions.ts';
import type { WhatIfPlacements } from '../../workflows/history/what-if-placements/types.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import {
  createPlaced,
  installThreeClusters,
  isComplete,
  placedJob,
  type ThreeClusters,
} from '../support/placed-jobs.ts';
import { jobledger as jobledgerCommand } from '../support/rebuild.ts';
import { verify, verifyAll } from '../support/verify.ts';

let jobledger: ThreeClusters['jobledger'];
let clusters: ThreeClusters['clusters'];

beforeAll(async () => {
  ({ jobledger, clusters } = await installThreeClusters());
}, 240_000);
afterAll(() => jobledger?.stop(), 60_000);

/** Creates a placed Job at home. */
function create(name: string, annotations: Record<string, string>, more: object = {}): Promise<Job> {
  return createPlaced(clusters.east, { name, annotations, ...more });
}

function home(name: string, what: string, isSo: (job: Job) => boolean): Promise<Job> {
  return placedJob(clusters.east, name, what, isSo);
}

/** The names of the clusters that have pods of these Jobs. */
async function whereItRan(...names: string[]): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(clusters).map(async ([name, cluster]) => {
      const pods = await Promise.all(names.map((each) => cluster.podsOf(each)));
      return pods.flat().length > 0 ? [name] : [];
    }),
  );
  return found.flat();
}

describe('a placed Job', () => {
  it('runs in the cluster that it names first, and its status is that of its member; it goes with it (J-16.1, J-16.8, J-16.17)', async () => {
    await create('first', { clusters: 'west, north' });
    const done = await home('first', 'is complete', isComplete);
    expect(done.status).toMatchObject({ succeeded: 1, ready: 0, terminating: 0 });
    expect(done.status?.conditions?.map(({ type }) => type).toSorted()).toEqual([
      'Complete',
      'SuccessCriteriaMet',
      'jobledger.dev/Placed',
    ]);
    expect(await whereItRan('first')).toEqual(['west']);
    const records = await eventually('both streams are in SQL', 30, async () => {
      const [counted] = await jobledger.sql<{ records: number; ended: number }>(
        "select count(*)::int as records, (select count(*)::int from jobledger.jobs where name = 'first' and finished_at is not null) as ended from jobledger.events where job_name = 'first'",
      );
      return counted?.ended === 2 ? counted.records : undefined;
    });
    expect(records).toBeLessThanOrEqual(32);
    // Its run was over, and a new one lets it go.
    await clusters.east.deleteJob('first', 'Background');
    await eventually('the Job and its member are gone', 60, async () => {
      const left = await Promise.all([clusters.east.job('first'), clusters.west.job('first')]);
      return left.every((job) => job === undefined) ? true : undefined;
    });
  }, 120_000);

  it('may run at home, under another name, and takes its member along (J-16.6, J-16.17)', async () => {
    await create('here', { clusters: 'side=east' }, { command: 'sleep 300' });
    await home('here', 'runs', ({ status }) => status?.ready === 1);
    expect(await whereItRan('here-m1')).toEqual(['east']);
    await clusters.east.deleteJob('here', 'Background');
    await eventually('nothing is left', 60, async () => {
      const left = await Promise.all([clusters.east.job('here'), clusters.east.job('here-m1')]);
      return left.every((job) => job === undefined) ? true : undefined;
    });
    expect(await clusters.east.podsOf('here-m1')).toEqual([]);
  }, 120_000);

  it('is suspended, resumed and scaled with its member (J-16.7)', async () => {
    const spec = { completions: 6, parallelism: 1, completionMode: 'Indexed' };
    await create('scaled', { clusters: 'west' }, { spec, command: 'sleep 2' });
    await home('scaled', 'runs', ({ status }) => status?.ready === 1);
    await clusters.east.patchJob('scaled', { spec: { suspend: true } });
    const suspended = await home(
      'scaled',
      'is suspended',
      ({ status = {} }) => trueCondition(status, 'Suspended') !== undefined,
    );
    expect(suspended.status?.active ?? 0).toBe(0);
    await clusters.east.patchJob('scaled', { spec: { suspend: false, parallelism: 6 } });
    const done = await home('scaled', 'is complete', isComplete);
    expect(done.status).toMatchObject({ succeeded: 6, completedIndexes: '0-5' });
    expect((await clusters.west.job('scaled'))?.spec.parallelism).toBe(6);
  }, 120_000);

  it('goes where there is room when its pods find no node (J-16.11)', async () => {
    const [node] = (
      await clusters.north.client.request<{ items: Job[] }>({ method: 'GET', path: '/api/v1/nodes' })
    ).items;
    await clusters.north.client.request({
      method: 'PATCH',
      path: `/api/v1/nodes/${node?.metadata.name}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { gpu: 'yes' } } },
    });
    const required = {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'In', values: ['yes'] }] }],
    };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    await create('spilled', { clusters: 'west, north', 'spill-after': '3s' }, { pod: { affinity } });
    await home('spilled', 'is complete', isComplete);
    const pods = await clusters.north.podsOf('spilled-m2');
    expect(pods.map(({ status }) => status?.phase)).toEqual(['Succeeded']);
    const member = await clusters.west.job('spilled');
    expect(member?.spec.suspend).toBe(true);
    expect(await clusters.west.podsOf('spilled')).toEqual([]);
  }, 120_000);

  it('is placed again when somebody deletes its member (J-16.19)', async () => {
    await create('bereft', { clusters: 'west, north' }, { command: 'sleep 4' });
    await home('bereft', 'runs', ({ status }) => status?.ready === 1);
    await clusters.west.deleteJob('bereft', 'Background');
    const done = await home('bereft', 'is complete', isComplete);
    expect(await clusters.east.eventsOn(done)).toContain(
      'MemberDeleted: the member bereft in the cluster west was deleted, but not by its Job',
    );
  }, 120_000);

  it('keeps its limit by index over a move: what failed in one cluster counts in the next (J-16.23)', async () => {
    const spec = {
      completions: 2,
      parallelism: 2,
      completionMode: 'Indexed',
      backoffLimit: 9,
      backoffLimitPerIndex: 1,
    };
    const command = 'if [ $JOB_COMPLETION_INDEX = 0 ]; then exit 1; else sleep 4; fi';
    // The failed pod of index 0 waits for its replacement for longer than the move takes.
    const annotations = { clusters: 'west, north', 'backoff-seconds': '30' };
    await create('limited', annotations, { spec, command });
    await eventually('index 0 has failed in west', 60, async () => {
      const pods = await clusters.west.podsOf('limited');
      return pods.some(({ status }) => status?.phase === 'Failed') ? true : undefined;
    });
    const drained = await jobledgerCommand(
      jobledger.environment,
      'clusters',
      'drain',
      'west',
      '--by',
      'anna',
    );
    expect(drained).toMatchObject({ exitCode: 0 });
    const done = await home(
      'limited',
      'has failed',
      ({ status = {} }) => trueCondition(status, 'Failed') !== undefined,
    );
    await jobledgerCommand(jobledger.environment, 'clusters', 'uncordon', 'west');
    expect(done.status).toMatchObject({ failed: 2, succeeded: 1, failedIndexes: '0', completedIndexes: '1' });
    const again = await clusters.north.podsOf('limited-m2');
    const counts = again.map(({ metadata: { annotations: of = {} } }) => [
      of['batch.kubernetes.io/job-completion-index'],
      of['batch.kubernetes.io/job-index-failure-count'],
    ]);
    expect(counts).toContainEqual(['0', '1']);
  }, 120_000);

  it('says why no cluster can take it (J-16.2, J-16.4)', async () => {
    await create('nowhere', { clusters: 'south' });
    await create('invalid', { 'spill-after': 'soon' });
    const nowhere = await home('nowhere', 'says so', ({ status }) => status?.conditions !== undefined);
    expect(nowhere.status?.conditions?.[0]).toMatchObject({
      type: 'jobledger.dev/Placed',
      status: 'False',
      reason: 'NotPlaced',
    });
    expect(nowhere.status?.conditions?.[0]?.message).toContain(
      'south: no cluster that the operator allows has this name',
    );
    const invalid = await home('invalid', 'says so', ({ status }) => status?.conditions !== undefined);
    expect(invalid.status?.conditions?.[0]?.message).toBe(
      'jobledger.dev/spill-after "soon" is not a duration such as 90s, 2m or 1h',
    );
  }, 120_000);

  it('re-executes bit for bit, and is proved to have run in one cluster at a time', async () => {
    const { findings, decisions, placements, exitCode } = await verifyAll(jobledger);
    expect(findings).toEqual([]);
    expect(decisions).toBeGreaterThan(30);
    expect(placements).toMatchObject({ jobs: 7, findings: [], mayHaveRunTwice: [], unseen: [] });
    expect(placements?.grants).toBeGreaterThanOrEqual(7);
    expect(exitCode).toBe(0);
    const alone = await verify(jobledger, ['--placements']);
    expect(alone).toMatchObject({ decisions: 0, placements, exitCode: 0 });
  }, 120_000);

  it('shows where it would have gone without the cluster that it went to', async () => {
    expect(await jobledger.sql('select key, reason from jobledger.dead_letters')).toEqual([]);
    const { environment, stateDir } = jobledger;
    const asked = ['what-if', 'east/team/spilled', '--without-cluster', 'north', '-o', 'json'];
    const args = ['cli/jobledger.mjs', ...asked, '--state-dir', stateDir];
    const { stdout } = await promisify(execFile)('node', args, { env: environment });
    const { comparison, choices } = JSON.parse(stdout) as WhatIfPlacements;
    expect(comparison).toBe('different');
    expect(choices[0]).toMatchObject({ result: 'same', actual: { kind: 'given', cluster: 'west' } });
    const [other] = choices.filter(({ result }) => result === 'different');
    expect(other).toMatchObject({
      actual: { kind: 'left', cluster: 'west' },
      counterfactual: { kind: 'waited', cluster: null },
    });
  }, 60_000);

  it('re-executes bit for bit from an export of one stream, without all others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobledger-streams-'));
    try {
      const spilled = ['east/team/spilled', 'north/team/spilled-m2'];
      const only = await Promise.all(
        spilled.map(async (name, at) => {
          const file = join(folder, `${at}.ndjson`);
          await exported(name, file);
          return verify(jobledger, ['--all', '--file', file]);
        }),
      );
      for (const { findings, decisions, exitCode } of only) {
        expect([findings, exitCode]).toEqual([[], 0]);
        expect(decisions).toBeGreaterThan(1);
      }
      expect(only.map(({ placements }) => placements?.grants)).toEqual([2, undefined]);
      const all = join(folder, 'all.ndjson.gz');
      await exported(null, all);
      const { placements } = await verify(jobledger, ['--placements']);
      expect(await verify(jobledger, ['--placements', '--file', all])).toMatchObject({ placements });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});

/** Exports the stream of a Job, or the whole ledger. */
async function exported(name: string | null, file: string): Promise<void> {
  const { environment, stateDir } = jobledger;
  const args = ['cli/jobledger.mjs', 'export', ...(name === null ? [] : [name])];
  await promisify(execFile)('node', [...args, '--output', file, '--state-dir', stateDir], {
    env: environment,
  });
}
