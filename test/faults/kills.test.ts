import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultPoint } from '../../services/adapters/fault-points.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { seededRandom } from '../support/random.ts';
import { differencesOf, rebuildTables } from '../support/rebuild.ts';
import { verifyAll } from '../support/verify.ts';
import { witness, type Witness } from '../support/witness.ts';
import { BACKOFF_MS, jobStories, type JobStory } from './job-stories.ts';

const SEED = Number(process.env['JOBLEDGER_TEST_SEED'] ?? 20260801);
/** Each part is killed once per round: 16 kills. The long run, outside CI, has more (CONTRIBUTING.md). */
const ROUNDS = Number(process.env['JOBLEDGER_TEST_ROUNDS'] ?? 2);
/** Work resumes within this many seconds after the restart. */
const RECOVERY_SECONDS = 10;
/** From fact to decision it takes up to a batch period, and the API truncates instants to seconds. */
const SLACK_MS = 2500;

const PARTS = process.env['JOBLEDGER_TEST_PARTS']?.split(',') ?? [
  'ingester',
  'dispatcher',
  'worker',
  'projector',
  'temporal',
  'kafka',
  'postgres',
  'local-kube-apiserver',
];
/** In two rounds the worker is killed at the worst moments. */
const WORKER_FAULTS: readonly FaultPoint[] = ['after-api-call', 'after-release'];

const random = seededRandom(SEED);
// No part is killed again before all others were: nothing dies five times a minute.
const rounds = Array.from({ length: ROUNDS }, (_none, round) =>
  PARTS.map((part) => ({ part, round, moment: Math.round(random() * 6000) })),
).flat();

let installation: Installation;
let witnesses: Witness[];
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-kills-'));

beforeAll(async () => {
  installation = await install({ environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: String(BACKOFF_MS) } });
  const { client } = installation.cluster;
  witnesses = await Promise.all(
    ['/apis/batch/v1/namespaces/default/jobs', '/api/v1/namespaces/default/pods'].map((path) =>
      witness(client, path),
    ),
  );
  await installation.startServices();
}, 120_000);

afterAll(async () => {
  for (const each of witnesses ?? []) each.stop();
  await installation?.stop();
}, 30_000);

describe(`kill -9 at a random step (seed ${SEED})`, () => {
  it.each(rounds)(
    'of $part, round $round, after $moment ms: the Jobs end as without faults',
    async ({ part, round, moment }) => {
      const { cluster } = installation;
      const nameOf = ({ kind }: JobStory): string => `${kind}-${part}-${round}`;
      for (const story of jobStories) {
        const folder = mkdtempSync(join(scratch, nameOf(story)));
        await cluster.createJob(nameOf(story), story.spec, { command: story.command(folder) });
      }
      const restartedAt = await strike(part, round, moment);
      const ended = jobStories.map((story) => ends(story, nameOf(story), restartedAt));
      await expect(Promise.all(ended)).resolves.toHaveLength(jobStories.length);
    },
    150_000,
  );
});

/** Prints the Job's ledger when it did not end as expected. */
async function ends(story: JobStory, name: string, restartedAt: number): Promise<void> {
  try {
    const job = await installation.cluster.finished(name, 60);
    const pods = await installation.cluster.podsOf(name);
    story.check(job, pods, (due, happened) => expectInTime(due, happened, restartedAt));
    expect(job.status).toMatchObject({ ready: 0, terminating: 0 });
    expect(pods.filter(({ metadata }) => metadata.finalizers !== undefined)).toEqual([]);
  } catch (error) {
    const rows = await installation.sql<{ line: string }>(
      "select time || ' ' || type || ' ' || left(data::text, 1500) as line from jobledger.events where job_name = $1 order by kafka_partition, kafka_offset",
      [name],
    );
    console.log(rows.map(({ line }) => line).join('\n'));
    throw error;
  }
}

/** Kills the part and waits until it answers again; returns when that was. */
async function strike(part: string, round: number, moment: number): Promise<number> {
  const fault = part === 'worker' ? WORKER_FAULTS[round] : undefined;
  if (fault === undefined) {
    await new Promise((resolve) => setTimeout(resolve, moment));
    await installation.kill(part);
  } else {
    const before = installation.services.pid(part);
    writeFileSync(installation.faultFile, fault);
    await eventually(`the worker dies ${fault}`, 30, async () =>
      installation.services.pid(part) === before ? undefined : true,
    );
  }
  await installation.answers(part);
  return Date.now();
}

/** Not early; in time, or within the time of recovery when the fault delayed it. */
function expectInTime(due: number, happened: number | undefined, restartedAt: number): void {
  // Both are truncated to seconds.
  expect(happened).toBeGreaterThanOrEqual(due - 1000);
  expect(happened).toBeLessThanOrEqual(Math.max(due + SLACK_MS, restartedAt + RECOVERY_SECONDS * 1000));
}

function isInside({ from, to }: { from: string; to: string }, version: string): boolean {
  const number = Number(version.split('/')[1]);
  return Number(from) < number && number <= Number(to);
}

describe('after all kills', () => {
  it('no extra pod was ever created: each Job has as many as its story has in the ledger', async () => {
    const rows = await installation.sql<{ job_name: string; pods: number }>(
      "select job_name, count(distinct data->'object'->'metadata'->>'uid')::int as pods from jobledger.events where type = 'pod.observed' group by job_name",
    );
    expect(rows).toHaveLength(jobStories.length * rounds.length);
    for (const { job_name: name, pods } of rows) {
      const story = jobStories.find(({ kind }) => name.startsWith(`${kind}-`));
      expect([name, pods]).toEqual([name, story?.pods]);
    }
  });

  it('every version that the API server offered is in SQL once, or inside a recorded gap', async () => {
    const offered = witnesses.flatMap(({ seen }) => [...seen.keys()]);
    expect(offered.length).toBeGreaterThan(10 * rounds.length);
    const missing = await eventually('the projector has caught up', 20, async () => {
      const rows = await installation.sql<{ version: string; times: number }>(
        "select (data->'object'->'metadata'->>'uid') || '/' || (data->'object'->'metadata'->>'resourceVersion') as version, count(*)::int as times from jobledger.events where data ? 'object' group by 1",
      );
      expect(rows.filter(({ times }) => times > 1)).toEqual([]);
      const gaps = await installation.sql<{ from: string; to: string }>(
        "select data->>'from' as from, data->>'to' as to from jobledger.events where type = 'cluster.gap'",
      );
      const recorded = new Set(rows.map(({ version }) => version));
      const lost = offered.filter(
        (version) => !recorded.has(version) && !gaps.some((gap) => isInside(gap, version)),
      );
      return lost.length === 0 ? lost : undefined;
    });
    expect(missing).toEqual([]);
  }, 30_000);

  it('every recorded decision re-executes from the ledger alone', async () => {
    const { findings, decisions } = await verifyAll(installation);
    console.log(`${rounds.length} kills, ${decisions} decisions verified`);
    expect(findings).toEqual([]);
    expect(decisions).toBeGreaterThan(5 * rounds.length);
  }, 60_000);

  it('rebuilt tables equal the live ones', async () => {
    const rebuilt = await rebuildTables(installation.environment, '--check');
    expect(differencesOf(rebuilt)).toEqual([]);
    expect(rebuilt.records).toBeGreaterThan(10 * rounds.length);
  }, 60_000);
});
