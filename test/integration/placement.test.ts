import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { WhatIfPlacements } from '../../workflows/history/what-if-placements/types.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import {
  createPlaced,
  installThreeClusters,
  isComplete,
  waitUntilClusterIsUsed,
  placedJob,
  type ThreeClusters,
} from '../support/placed-jobs.ts';
import { jobledger as command } from '../support/rebuild.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { verify, verifyAll } from '../support/verify.ts';

let jobledger: ThreeClusters['jobledger'];
let clusters: ThreeClusters['clusters'];

beforeAll(async () => {
  ({ jobledger, clusters } = await installThreeClusters({
    // The tests of this file label the nodes.
    ownClusters: true,
    profiles: { north: { accelerator: 'a100' } },
  }));
}, 240_000);
afterAll(() => jobledger?.stop(), 60_000);

/** Creates a placed Job at home. */
function create(name: string, annotations: Record<string, string>, more: object = {}): Promise<Job> {
  return createPlaced(clusters.east, { name, annotations, ...more });
}

function home(name: string, what: string, isSo: (job: Job) => boolean): Promise<Job> {
  return placedJob(clusters.east, name, what, isSo);
}

/** Returns the names of the clusters that have pods of these Jobs. */
async function whereItRan(...names: string[]): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(clusters).map(async ([name, cluster]) => {
      const pods = await Promise.all(names.map((each) => cluster.listPods(each)));
      return pods.flat().length > 0 ? [name] : [];
    }),
  );
  return found.flat();
}

describe('a placed Job', () => {
  const story = sideBySide();

  story(
    'runs in the cluster that it names first, has the status of its member, and takes the member along at its deletion (J-16.1, J-16.8, J-16.17)',
    async () => {
      await create('first', { clusters: 'west, north' });
      const done = await home('first', 'is complete', isComplete);
      expect(done.status).toMatchObject({ succeeded: 1, ready: 0, terminating: 0 });
      expect(done.status?.conditions?.map(({ type }) => type).toSorted()).toEqual([
        'Complete',
        'SuccessCriteriaMet',
        'jobledger.dev/Placed',
      ]);
      expect(await whereItRan('first')).toEqual(['west']);
      const { records, statuses } = await eventually('both streams are in SQL', 30, async () => {
        const [counted] = await jobledger.sql<{ records: number; statuses: number; ended: number }>(
          "select count(*)::int as records, (count(*) filter (where type = 'job.observed' and source = 'west' and data #> '{object,status,startTime}' is not null))::int as statuses, (select count(*)::int from jobledger.jobs where name = 'first' and finished_at is not null) as ended from jobledger.events where job_name = 'first'",
        );
        return counted?.ended === 2 ? counted : undefined;
      });
      // A member that goes through its states quickly has two statuses. Each one more, on a slow machine, makes seven records: a
      // decision, its answer and what is observed of it in the member's cluster, then the same at home, and what the home learns.
      expect(records).toBeLessThanOrEqual(32 + 7 * Math.max(0, statuses - 2));
      // The run of its workflow was over, and a new run lets the placed Job disappear.
      await clusters.east.deleteJob('first', 'Background');
      await eventually('the Job and its member are gone', 60, async () => {
        const left = await Promise.all([clusters.east.job('first'), clusters.west.job('first')]);
        return left.every((job) => job === undefined) ? true : undefined;
      });
    },
    120_000,
  );

  story(
    'may run at home under another name, and takes its member along at its deletion (J-16.6, J-16.17)',
    async () => {
      await create('here', { clusters: 'side=east' }, { command: 'sleep 300' });
      await home('here', 'runs', ({ status }) => status?.ready === 1);
      expect(await whereItRan('here-m1')).toEqual(['east']);
      await clusters.east.deleteJob('here', 'Background');
      await eventually('nothing is left', 60, async () => {
        const left = await Promise.all([clusters.east.job('here'), clusters.east.job('here-m1')]);
        return left.every((job) => job === undefined) ? true : undefined;
      });
      expect(await clusters.east.listPods('here-m1')).toEqual([]);
    },
    120_000,
  );

  story(
    'is suspended, resumed and scaled with its member (J-16.7)',
    async () => {
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
    },
    120_000,
  );

  story(
    'moves to a cluster with room when its pods find no node (J-16.11)',
    async () => {
      const [node] = (
        await clusters.north.client.request<{ items: Job[] }>({ method: 'GET', path: '/api/v1/nodes' })
      ).items;
      await clusters.north.client.request({
        method: 'PATCH',
        path: `/api/v1/nodes/${node?.metadata.name}`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { gpu: 'yes' } } },
      });
      // The choice of a cluster ignores topology constraints: the Job goes to the first cluster, which has no such node.
      const topologySpreadConstraints = [
        {
          maxSkew: 1,
          topologyKey: 'gpu',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: {} },
        },
      ];
      await create(
        'spilled',
        { clusters: 'west, north', 'spill-after': '3s' },
        { pod: { topologySpreadConstraints } },
      );
      await home('spilled', 'is complete', isComplete);
      const pods = await clusters.north.listPods('spilled-m2');
      expect(pods.map(({ status }) => status?.phase)).toEqual(['Succeeded']);
      const member = await clusters.west.job('spilled');
      expect(member?.spec.suspend).toBe(true);
      expect(await clusters.west.listPods('spilled')).toEqual([]);
    },
    120_000,
  );

  story(
    'goes to the cluster that matches the labels of the operator and the properties of a ClusterProfile (J-16.4)',
    async () => {
      await create('accelerated', { clusters: 'accelerator=a100, side=north' });
      await home('accelerated', 'is complete', isComplete);
      expect(await whereItRan('accelerated')).toEqual(['north']);
    },
    60_000,
  );

  story(
    'is placed again when another client deletes its member (J-16.19)',
    async () => {
      // On a slow machine, the deletion comes some seconds after the pod is ready.
      await create('bereft', { clusters: 'west, north' }, { command: 'sleep 15' });
      await home('bereft', 'runs', ({ status }) => status?.ready === 1);
      await clusters.west.deleteJob('bereft', 'Background');
      const done = await home('bereft', 'is complete', isComplete);
      expect(await clusters.east.eventsOn(done)).toContain(
        'MemberDeleted: the member bereft in the cluster west was deleted, but not by its Job',
      );
    },
    120_000,
  );

  story(
    'reports why no cluster can take it (J-16.2, J-16.4)',
    async () => {
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
    },
    120_000,
  );
});

/** Resolves with the message of the condition Placed when the message contains all of these texts. */
async function whyNotPlaced(name: string, ...texts: string[]): Promise<string> {
  const job = await home(
    name,
    `says "${texts.join('" and "')}"`,
    ({ status }) =>
      status?.conditions?.some(({ message = '' }) => texts.every((text) => message.includes(text))) === true,
  );
  return job.status?.conditions?.[0]?.message ?? '';
}

describe('a placed Job reports a problem when', () => {
  const story = sideBySide();

  story(
    'a Job of another client has the name of its member, which is left alone while another cluster gets the Job (J-16.6)',
    async () => {
      const other = await clusters.west.createJob('taken', { suspend: true }, {});
      await create('taken', { clusters: 'west, north' });
      await home('taken', 'is complete', isComplete);
      expect(await whereItRan('taken', 'taken-m2')).toEqual(['north']);
      const left = await clusters.west.job('taken');
      expect(left?.metadata.uid).toBe(other.metadata.uid);
      expect(left?.spec.suspend).toBe(true);
    },
    120_000,
  );

  story(
    'its name leaves no room for the name of a member at home',
    async () => {
      const name = 'n'.repeat(62);
      const job = await create(name, { clusters: 'east' });
      const message =
        'the name of the member in the cluster east would have more than 63 characters; use a shorter name';
      expect(await whyNotPlaced(name, 'the name')).toBe(message);
      expect(await clusters.east.eventsOn(job)).toContain(`NameTooLong: ${message}`);
    },
    120_000,
  );

  story(
    'a ServiceAccount or a namespace is missing in a cluster, and another cluster gets the Job (J-16.4)',
    async () => {
      const pod = { serviceAccountName: 'runner' };
      await create('accounted', { clusters: 'west, north' }, { pod });
      const message = 'its namespace team has no ServiceAccount runner, or does not exist';
      // Another test stops the cluster west for a while, so the first message may be about that.
      const why = await whyNotPlaced('accounted', `west: ${message}`, `north: ${message}`);
      expect(why).toMatch(/^no cluster can take the Job: /);
      await clusters.north.client.request({
        method: 'POST',
        path: '/api/v1/namespaces/team/serviceaccounts',
        body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner' } },
      });
      const { east, north } = jobledger.clusters;
      const alone = await east?.inNewNamespace('alone');
      const there = await north?.inNewNamespace('alone');
      if (alone === undefined || there === undefined) throw new Error('the clusters are needed');
      await createPlaced(alone, { name: 'lonely', annotations: { clusters: 'west, north' } });
      await Promise.all([
        placedJob(alone, 'lonely', 'is complete', isComplete),
        home('accounted', 'is complete', isComplete),
      ]);
      expect(await whereItRan('accounted')).toEqual(['north']);
      expect(await there.listPods('lonely')).toHaveLength(1);
    },
    120_000,
  );

  story(
    'another client suspends and scales its member, which then follows the Job again (J-16.7)',
    async () => {
      const spec = { completions: 4, parallelism: 1, completionMode: 'Indexed' };
      await create('meddled', { clusters: 'west' }, { spec, command: 'sleep 2' });
      await home('meddled', 'runs', ({ status }) => status?.ready === 1);
      await clusters.west.patchJob('meddled', { spec: { suspend: true, parallelism: 3 } });
      await clusters.west.jobWhere(
        'meddled',
        'follows again',
        ({ spec: now }) => now.suspend !== true && now.parallelism === 1,
      );
      const done = await home('meddled', 'is complete', isComplete);
      expect(done.status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
    },
    120_000,
  );

  story(
    'another client deletes its guard and with it the member, and the Job is placed again (J-16.19)',
    async () => {
      const pod = { activeDeadlineSeconds: 600 };
      await create(
        'unguarded',
        { clusters: 'west', 'if-cluster-is-lost': 'MoveWhenStopped=10m' },
        { pod, command: 'sleep 5' },
      );
      await home('unguarded', 'runs', ({ status }) => status?.ready === 1);
      await clusters.west.deleteJob('unguarded-guard', 'Background');
      await home('unguarded', 'is complete', isComplete);
      expect((await clusters.west.job('unguarded-m2'))?.status?.succeeded).toBe(1);
    },
    120_000,
  );

  story(
    'a person drains an unknown cluster, and the error names the known clusters',
    async () => {
      const { exitCode, stderr } = await command(jobledger.environment, 'clusters', 'drain', 'south');
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain('no cluster "south" was ever connected; there are: east, north, west');
    },
    60_000,
  );
});

describe('a placed Job whose cluster is drained or taken out of the configuration', () => {
  const story = sideBySide();

  story(
    'keeps its limit by index over a move, and failures in one cluster count in the next (J-16.23)',
    async () => {
      const spec = {
        completions: 2,
        parallelism: 2,
        completionMode: 'Indexed',
        backoffLimit: 9,
        backoffLimitPerIndex: 1,
      };
      // The pod of index 1 exits with 0 when it is stopped. That is no success, because the member has released the pod before (B-15).
      const working = 'trap "exit 0" TERM; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5; done';
      const failing = `if [ $JOB_COMPLETION_INDEX = 0 ]; then exit 1; fi; ${working}`;
      // The replacement of the failed pod of index 0 comes later than the move.
      const annotations = { clusters: 'north, east', 'backoff-seconds': '30' };
      await create('limited', annotations, { spec, command: failing });
      await eventually('index 0 has failed in north', 60, async () => {
        const pods = await clusters.north.listPods('limited');
        return pods.some(({ status }) => status?.phase === 'Failed') ? true : undefined;
      });
      const drained = await command(jobledger.environment, 'clusters', 'drain', 'north', '--by', 'anna');
      expect(drained).toMatchObject({ exitCode: 0 });
      const done = await home(
        'limited',
        'has failed',
        ({ status = {} }) => trueCondition(status, 'Failed') !== undefined,
      );
      await command(jobledger.environment, 'clusters', 'uncordon', 'north');
      expect(done.status).toMatchObject({
        failed: 2,
        succeeded: 1,
        failedIndexes: '0',
        completedIndexes: '1',
      });
      const grants = await eventually('both grants are in SQL', 30, async () => {
        const rows = await jobledger.sql<{ placed_in: string; end_reason: string | null }>(
          "select placed_in, end_reason from jobledger.placements where job_name = 'limited' order by grant_number",
        );
        return rows.at(-1)?.end_reason === 'finished' ? rows : undefined;
      });
      expect(grants.map(({ placed_in }) => placed_in)).toEqual(['north', 'east']);
      // One further failure is enough, because the failure in the first cluster counts.
      const again = await eventually('the pod of index 0 in east is in SQL', 30, async () => {
        const pods = await jobledger.sql(
          "select from jobledger.pods where cluster = 'east' and job_name = 'limited-m2' and completion_index = 0",
        );
        return pods.length > 0 ? pods : undefined;
      });
      expect(again).toHaveLength(1);
      await waitUntilClusterIsUsed(clusters.east, 'north');
    },
    120_000,
  );

  story(
    'stays in a removed cluster, explains why it cannot leave, and continues when the cluster is back',
    async () => {
      const spec = { completions: 3, parallelism: 1, completionMode: 'Indexed' };
      await create('held', { clusters: 'west, north' }, { spec, command: 'sleep 3' });
      await home('held', 'runs', ({ status }) => status?.ready === 1);
      const kubeconfigs = jobledger.servers.addresses.serviceKubeconfigs ?? {};
      const placement = JSON.parse(jobledger.environment.JOBLEDGER_PLACEMENT ?? '') as {
        clusters: { name: string }[];
      };
      const without = {
        ...jobledger.environment,
        JOBLEDGER_CONTEXTS: 'east,north',
        JOBLEDGER_PLACEMENT: JSON.stringify({
          clusters: placement.clusters.filter(({ name }) => name !== 'west'),
        }),
      };
      const worker = serviceChildren(without, { metrics: jobledger.metrics, kubeconfigs }).find(
        ({ name }) => name === 'worker',
      );
      if (worker === undefined) throw new Error('there is a worker');
      await jobledger.haltServices(['worker']);
      await jobledger.services.start(worker);
      await create('refused', { clusters: 'west' });
      expect(await whyNotPlaced('refused', 'no cluster')).toContain(
        'west: no cluster that the operator allows has this name',
      );
      await command(jobledger.environment, 'clusters', 'drain', 'west', '--by', 'anna');
      const message = 'this worker has no access to the cluster west; add its context to JOBLEDGER_CONTEXTS';
      await eventually('it says why it cannot leave', 60, async () => {
        const found = await jobledger.sql(
          "select from jobledger.decisions where job_name = 'held' and waiting_message like '%' || $1 || '%'",
          [message],
        );
        return found.length > 0 ? true : undefined;
      });
      expect(await whereItRan('held', 'held-m2')).toEqual(['west']);
      await command(jobledger.environment, 'clusters', 'uncordon', 'west', '--by', 'anna');
      await jobledger.haltServices(['worker']);
      await jobledger.startServices(['worker']);
      const done = await home('held', 'is complete', isComplete);
      expect(done.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    },
    240_000,
  );
});

describe('after all tests of placed Jobs,', () => {
  it('verify finds no difference, and no Job for which two grants overlapped', async () => {
    const { findings, decisions, placements, exitCode } = await verifyAll(jobledger);
    expect(findings).toEqual([]);
    expect(decisions).toBeGreaterThan(30);
    expect(placements).toMatchObject({ findings: [], mayHaveRunTwice: [], unseen: [] });
    expect(placements?.jobs).toBeGreaterThanOrEqual(12);
    expect(placements?.grants).toBeGreaterThanOrEqual(17);
    expect(exitCode).toBe(0);
    const alone = await verify(jobledger, ['--placements']);
    expect(alone).toMatchObject({ decisions: 0, placements, exitCode: 0 });
  }, 120_000);

  it('a what-if without one cluster shows what Jobledger would have decided instead of placing the Job there', async () => {
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

  it('verify finds no difference in an export of one stream alone', async () => {
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
  const args = ['cli/jobledger.mjs', 'admin', 'export', ...(name === null ? [] : [name])];
  await promisify(execFile)('node', [...args, '--output', file, '--state-dir', stateDir], {
    env: environment,
  });
}
