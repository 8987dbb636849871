import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { Job, JobSpec } from '../../workflows/kubernetes/objects.ts';
import { apiClient } from '../support/api-client.ts';
import { failingFirst } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { connectCronJobs } from '../support/cron-jobs.ts';
import { install, type Installation } from '../support/installation.ts';
import { crowdedStream, memberStream, randomStreams } from '../support/random-streams.ts';
import { createPlaced, isComplete, placedJob } from '../support/placed-jobs.ts';
import { jobledger } from '../support/rebuild.ts';
import { covering } from './features.ts';

// `npm run record-baseline -- FOLDER`: records what this version writes, for later versions to read. Real Jobs, CronJobs and a
// placed Job on real servers, and generated streams with the rare cases; the ledger as an export, and the tables filled from it.

const [folder = join('test', 'baseline', 'recorded')] = process.argv.slice(2);
const SEEDS = 3000;

const scratch = mkdtempSync(join(tmpdir(), 'jobledger-baseline-'));
const allow = [{ home: 'local', namespaces: ['default'] }];
const installation = await install({
  separate: true,
  api: true,
  clusters: ['local', 'west'].map((name) => ({ name, builtInCronJobController: false })),
  environment: {
    JOBLEDGER_POD_FAILURE_BACKOFF_MS: '1000',
    JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl',
    JOBLEDGER_PLACEMENT: JSON.stringify({ clusters: [{ name: 'west', labels: {}, allow }] }),
  },
});
try {
  await installation.startServices();
  await realJobs(installation);
  await submittedJob(installation);
  await longJob(installation);
  await realPlacedJob(installation);
  await realCronJobs(installation);
  await importGenerated(installation);
  await record(installation);
} finally {
  await installation.stop();
}

async function realJobs({ cluster, environment }: Installation): Promise<void> {
  const failing = (times: number): string[] => failingFirst(times, mkdtempSync(join(scratch, 'failing-')));
  const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
  const onExit = (action: string): Partial<JobSpec> => ({
    podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [1] } }] },
  });
  await cluster.createJob('succeeding', { completions: 2, parallelism: 2 }, {});
  await cluster.createJob('failing-once', {}, { command: failing(1) });
  await cluster.createJob('failing', { backoffLimit: 1 }, { command: ['false'] });
  await cluster.createJob('late', { activeDeadlineSeconds: 3 }, { command: ['sleep', '300'] });
  await cluster.createJob('indexed', indexed, {});
  await cluster.createJob('per-index', { ...indexed, backoffLimitPerIndex: 0 }, { command: failing(1) });
  await cluster.createJob('led', { ...indexed, successPolicy: { rules: [{ succeededCount: 1 }] } }, {});
  await cluster.createJob('fatal', onExit('FailJob'), { command: ['false'] });
  await cluster.createJob('ignored', onExit('Ignore'), { command: failing(1) });
  await cluster.createJob('expiring', { ttlSecondsAfterFinished: 1 }, {});
  await cluster.createJob('suspended', { suspend: true }, {});
  await cluster.createJob('chained', { suspend: true }, {});
  await cluster.patchJob('chained', {
    metadata: { annotations: { 'jobledger.dev/after': 'succeeding, failing=Failed' } },
  });
  await annotated(cluster, 'annotated', failing(2), '1');
  await annotated(cluster, 'wrongly-annotated', failing(1), 'soon');
  await cluster.createJob('going', {}, { command: ['sleep', '300'] });
  await cluster.jobWhere('suspended', 'is suspended', isSuspended);
  await jobledger(environment, 'resume', 'suspended', '--by', 'ann');
  await cluster.jobWhere('going', 'runs', ({ status }) => status?.active === 1);
  await jobledger(environment, 'suspend', 'going', '--by', 'ann');
  await cluster.jobWhere('going', 'is suspended', isSuspended);
  await cluster.deleteJob('going', 'Background');
  const ending = [
    'succeeding',
    'failing-once',
    'failing',
    'late',
    'indexed',
    'per-index',
    'led',
    'fatal',
    'ignored',
    'annotated',
    'wrongly-annotated',
    'chained',
  ];
  for (const name of [...ending, 'suspended']) await cluster.finished(name);
  await eventually('the expired Job is gone', 60, async () =>
    (await cluster.job('expiring')) === undefined ? true : undefined,
  );
}

/** A Job that has all annotations before its first pod. */
async function annotated(
  cluster: Installation['cluster'],
  name: string,
  command: string[],
  backoffSeconds: string,
): Promise<void> {
  await cluster.createJob(name, { suspend: true }, { command });
  const annotations = {
    'jobledger.dev/backoff-seconds': backoffSeconds,
    'jobledger.dev/failed-pods-limit': '1',
    'jobledger.dev/start-and-finish-events': 'true',
  };
  await cluster.patchJob(name, { metadata: { annotations } });
  await cluster.patchJob(name, { spec: { suspend: false } });
}

/** A Job that a user has submitted, through the API. */
async function submittedJob({ api, cluster, sql }: Installation): Promise<void> {
  const containers = [{ name: 'main', image: 'none', command: ['true'] }];
  const answer = await apiClient(api.url, api.token).post('/v1/clusters/local/jobs', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'submitted' },
    spec: { template: { spec: { restartPolicy: 'Never', containers } } },
  });
  if (answer.status !== 201) throw new Error(`the Job was not created: ${JSON.stringify(answer.body)}`);
  await cluster.finished('submitted');
  await eventually('the submission is in SQL', 30, async () => {
    const found = await sql(`select 1 from jobledger.events where type = 'job.submitted'`);
    return found.length > 0 ? true : undefined;
  });
}

/** A Job with enough pods for a snapshot. */
async function longJob({ cluster, sql }: Installation): Promise<void> {
  await cluster.createJob('long', { completions: 400, parallelism: 100, completionMode: 'Indexed' }, {});
  await cluster.finished('long', 300);
  await eventually('a snapshot is recorded', 60, async () => {
    const found = await sql(`select 1 from jobledger.events where type = 'job.snapshotted'`);
    return found.length > 0 ? true : undefined;
  });
}

/** A Job that runs in the other cluster. */
async function realPlacedJob({ cluster }: Installation): Promise<void> {
  await createPlaced(cluster, { name: 'placed' });
  await placedJob(cluster, 'placed', 'is complete', isComplete);
}

/** CronJobs that start, skip and replace Jobs, remove old ones, and are deleted. */
async function realCronJobs(of: Installation): Promise<void> {
  const cronJobs = connectCronJobs(() => of);
  const { overdue, jobsWhere } = cronJobs;
  const sleep = ['sleep', '300'];
  const tick = await cronJobs.create('tick', { successfulJobsHistoryLimit: 0 }, ['true']);
  const forbid = await cronJobs.create('forbid', { concurrencyPolicy: 'Forbid' }, sleep);
  const replace = await cronJobs.create('replace', { concurrencyPolicy: 'Replace' }, sleep);
  for (const name of ['tick', 'forbid', 'replace']) await overdue(name);
  await jobsWhere(forbid, 'runs', (jobs) => jobs.length === 1, 90);
  const [first] = await jobsWhere(replace, 'runs', (jobs) => jobs.length === 1, 90);
  const isAnother = ([job]: Job[]): boolean => job !== undefined && job.metadata.uid !== first?.metadata.uid;
  await jobsWhere(replace, 'is replaced', isAnother, 90);
  await jobsWhere(tick, 'has removed its Jobs', (jobs) => jobs.length === 0, 90);
  await cronJobs.patch('forbid', { spec: { suspend: true } });
  await cronJobs.remove('tick');
  await cronJobs.remove('replace');
  await eventually('the deletions are recorded', 60, async () => {
    const deleted = await of.sql('select from jobledger.cron_jobs where deleted_at is not null');
    return deleted.length === 2 ? true : undefined;
  });
}

function isSuspended({ status }: { status?: Parameters<typeof trueCondition>[0] }): boolean {
  return trueCondition(status ?? {}, 'Suspended') !== undefined;
}

async function importGenerated({ environment }: Installation): Promise<void> {
  const candidates = [
    { which: 'crowd', stream: await crowdedStream() },
    { which: 'member', stream: await memberStream() },
  ];
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const [stream = []] = await randomStreams(1, seed);
    candidates.push({ which: String(seed), stream });
  }
  const whichByStream = new Map(candidates.map(({ which, stream }) => [stream, which]));
  const chosen = covering(candidates.map(({ stream }) => stream)).map(
    (stream) => whichByStream.get(stream) ?? '',
  );
  const lines = chosen.map((which, at) =>
    generated('generated-stream', [which], {
      JOBLEDGER_MODEL_CLUSTER: `generated-${at}`,
      JOBLEDGER_MODEL_JOB_UID: `a3f0c2de-0000-4000-8000-${String(at).padStart(12, '0')}`,
    }),
  );
  const file = join(scratch, 'generated.ndjson');
  const ofCronJob = generated('generated-cron-stream');
  writeFileSync(file, [...lines, ofCronJob].join(''));
  const imported = await jobledger(environment, 'admin', 'import', file);
  if (imported.exitCode !== 0) throw new Error(`import: ${imported.stderr}`);
  process.stdout.write(`${chosen.length} generated streams: ${imported.stdout}`);
}

/** What a program beside this one prints. */
function generated(program: string, args: string[] = [], variables: NodeJS.ProcessEnv = {}): string {
  return execFileSync(process.execPath, [`test/baseline/${program}.ts`, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...variables },
  });
}

async function record({ environment, haltServices, sql }: Installation): Promise<void> {
  await haltServices(['ingester', 'dispatcher', 'worker']);
  const file = join(scratch, 'ledger.ndjson');
  const exported = await jobledger(environment, 'admin', 'export', '-o', file);
  if (exported.exitCode !== 0) throw new Error(`export: ${exported.stderr}`);
  const ledger = readFileSync(file);
  const records = ledger.toString().trimEnd().split('\n').length;
  await eventually('everything is projected', 60, async () => {
    const [found] = await sql<{ sum: string }>('select sum(next_offset) from jobledger.positions');
    return Number(found?.sum) >= records ? true : undefined;
  });
  await haltServices();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ledger.ndjson.gz'), gzipSync(ledger, { level: 9 }));
  const client = new Client(environment['DATABASE_URL']);
  await client.connect();
  writeFileSync(
    join(folder, 'tables.json.gz'),
    gzipSync(JSON.stringify(await readTables(client)), { level: 9 }),
  );
  await client.end();
  process.stdout.write(`${records} records, ${ledger.length} bytes\n`);
}

/** Every row as Postgres writes it in JSON, by table; partitions of events with their bounds. */
async function readTables(client: Client): Promise<unknown> {
  const partitions = await client.query<{ name: string; bounds: string }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds from pg_inherits i
     join pg_class c on c.oid = i.inhrelid where i.inhparent = 'jobledger.events'::regclass order by 1`,
  );
  const names = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'jobledger'::regnamespace
     and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const tables: Record<string, unknown[]> = {};
  for (const { name } of names.rows) {
    const { rows } = await client.query<{ row: string }>(
      `select to_jsonb(t)::text as row from jobledger.${name} t order by 1`,
    );
    tables[name] = rows.map(({ row }) => row);
  }
  return { partitions: partitions.rows, tables };
}
