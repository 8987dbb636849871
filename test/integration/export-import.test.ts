import { computeDigest } from '../../workflows/ledger/digest.ts';
import { OUR_USERS } from '../../infra/local/cluster/accounts.ts';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { committedOffsets, consumerGroup } from '../../services/consumers/groups.ts';
import { readEnds } from '../../services/adapters/kafka/scan.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { failingFirst } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { verifyAll } from '../support/verify.ts';
import { topicBeside } from '../support/shared-servers/own-topics.ts';

jest.setTimeout(120_000);

/** This int64 is beyond the range of exact JavaScript numbers. */
const LONG = 9_007_199_254_740_993n;

let here: Installation;
/** The other installation has another topic and another database on the same servers. */
let elsewhere: NodeJS.ProcessEnv;
let topic: string;
/** The whole export is in the file `whole`, and `ofFlaky` is the export of one Job. */
let whole: string;
let ofFlaky: string;

beforeAll(async () => {
  here = await install({ separate: true });
  await here.startServices();
  const { cluster } = here;
  await cluster.createJob('flaky', { backoffLimit: 2 }, { command: failingFirst(1, here.stateDir) });
  await cluster.createJob('indexed', { completionMode: 'Indexed', completions: 2, parallelism: 2 }, {});
  await cluster.createJob('waiting', { suspend: true }, {});
  const exact: object = { terminationGracePeriodSeconds: LONG };
  await cluster.createJob('exact', {}, exact);
  await Promise.all(['flaky', 'indexed', 'exact'].map((name) => cluster.finished(name)));
  await cluster.deleteJob('indexed', 'Background');
  await eventually('the deletion in SQL', 20, async () => {
    const [gone] = await here.sql(
      `select from jobledger.jobs where name = 'indexed' and deleted_at is not null`,
    );
    return gone === undefined ? undefined : true;
  });
  // First the services that append are stopped, and then everything is projected.
  await here.haltServices(['ingester', 'dispatcher', 'worker']);
  await untilRead(here.environment, [projectedPositions]);
  await here.haltServices();

  const url = new URL(here.environment['DATABASE_URL'] ?? '');
  url.pathname += '_elsewhere';
  await here.sql(`create database ${url.pathname.slice(1)}`);
  topic = topicBeside(here.environment, 'elsewhere.ledger');
  elsewhere = { ...here.environment, DATABASE_URL: url.href, JOBLEDGER_LEDGER_TOPIC: topic };
  whole = join(here.stateDir, 'whole.ndjson');
}, 240_000);

afterAll(() => here?.stop(), 60_000);

interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a verb as a user does. */
function jobledger(env: NodeJS.ProcessEnv, args: readonly string[], input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      'node',
      ['cli/jobledger.mjs', ...args],
      { env, maxBuffer: 2 ** 28 },
      (error, stdout, stderr) => resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** Returns the number of records in each partition of a ledger. */
async function endsOfLedger(env: NodeJS.ProcessEnv): Promise<Map<number, bigint>> {
  const kafka = connectTo(env);
  return readEnds(kafka, kafka.topics.ledger);
}

function connectTo(env: NodeJS.ProcessEnv): KafkaConnection {
  const log = createLog('test');
  log.level = 'silent';
  return connectKafka(readConfig(kafkaEnvironment, env), log);
}

/**
 * Returns every row of every table, in an order that depends on content alone; except positions, and the sums of hours,
 * which a projector counts from time to time.
 */
async function readRows(env: NodeJS.ProcessEnv): Promise<Record<string, unknown[]>> {
  const pool = new Pool({ connectionString: env['DATABASE_URL'] });
  try {
    const tables = await pool.query<{ name: string }>(
      `select table_name as name from information_schema.tables t
       where table_schema = 'jobledger' and table_type = 'BASE TABLE'
         and table_name not in ('positions', 'migrations', 'stale_usage', 'ended_usage', 'cluster_watches', 'missed_starts', 'missed_starts_counted')
         and not (select relispartition from pg_class where oid = format('jobledger.%I', table_name)::regclass)`,
    );
    const rows = tables.rows.map(async ({ name }) => {
      const { rows: found } = await pool.query<{ row: unknown }>(
        `select to_jsonb(t) - 'kafka_partition' - 'kafka_offset' as row from jobledger.${name} t order by (to_jsonb(t) - 'kafka_partition' - 'kafka_offset')::text`,
      );
      return [name, found.map(({ row }) => row)] as const;
    });
    return Object.fromEntries(await Promise.all(rows));
  } finally {
    await pool.end();
  }
}

function eventsIn(text: string): { type: string; data: { jobUid?: string } }[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; data: { jobUid?: string } });
}

describe('an export of the ledger', () => {
  it('contains each record when nothing is selected', async () => {
    const { exitCode, stdout, stderr } = await jobledger(here.environment, ['admin', 'export', '-o', whole]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    const lines = readFileSync(whole, 'utf8').trim().split('\n');
    const records = [...(await endsOfLedger(here.environment)).values()].reduce((sum, end) => sum + end, 0n);
    expect(BigInt(lines.length)).toBe(records);
    expect(stderr).toBe(`${lines.length} events of 4 Jobs and 1 cluster\n`);
  });

  it('contains, for a given Job, the streams of the Job and of its cluster, with the same bytes each time', async () => {
    const { stdout } = await jobledger(here.environment, ['admin', 'export', 'flaky']);
    ofFlaky = stdout;
    const uids = new Set(eventsIn(stdout).map(({ data }) => data.jobUid));
    const [job] = await here.sql<{ uid: string }>(`select uid from jobledger.jobs where name = 'flaky'`);
    expect(uids).toEqual(new Set([undefined, job?.uid]));
    expect((await jobledger(here.environment, ['admin', 'export', 'flaky'])).stdout).toBe(stdout);
  });

  it.each([
    [['nobody'], 'the ledger has no Job named "nobody"'],
    [['--cluster', 'mars'], 'the ledger has no cluster named "mars"'],
  ])('is refused with a reason for the arguments %j', async (args, message) => {
    const { exitCode, stdout, stderr } = await jobledger(here.environment, ['admin', 'export', ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('an integer beyond 2^53 in the template of a Job', () => {
  const DIGITS = `"terminationGracePeriodSeconds":${LONG}`;

  it('is exactly the same in the pod of the Job', async () => {
    const pods = await here.cluster.listPods('exact');
    expect(
      pods.map(({ spec }) => (spec as unknown as Record<string, unknown>)['terminationGracePeriodSeconds']),
    ).toEqual([LONG]);
  });

  it('is exactly the same in the ledger, in an export and in SQL', async () => {
    const lines = readFileSync(whole, 'utf8').split('\n');
    const exported = lines
      .filter((line) => line.includes(DIGITS))
      .map((line) => JSON.parse(line) as { type: string });
    expect(new Set(exported.map(({ type }) => type))).toEqual(
      new Set(['dev.jobledger.job.observed.v1', 'dev.jobledger.pod.observed.v1']),
    );
    expect(lines.filter((line) => line.includes('9007199254740992'))).toEqual([]);
    const rows = await here.sql(
      `select distinct data #>> '{object,spec,terminationGracePeriodSeconds}' as seconds from jobledger.events where type = 'pod.observed' and job_name = 'exact'`,
    );
    expect(rows).toEqual([{ seconds: String(LONG) }]);
  });
});

describe('an import into a ledger', () => {
  it('appends no event when the file has a broken line, and names the line', async () => {
    const broken = join(here.stateDir, 'broken.ndjson');
    writeFileSync(broken, `${readFileSync(whole, 'utf8')}{"specversion":"1.0"}\n`);
    const { exitCode, stderr } = await jobledger(elsewhere, ['admin', 'import', broken]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`line ${eventsIn(readFileSync(broken, 'utf8')).length}: not a CloudEvent`);
    await expect(endsOfLedger(elsewhere)).rejects.toThrow('Kafka has no topic');
  });

  it('appends only missing events: first those of one Job, then all others, and none when it is repeated', async () => {
    const first = await jobledger(elsewhere, ['admin', 'import', '-'], ofFlaky);
    const known = eventsIn(ofFlaky).length;
    expect(first.stdout).toBe(
      `${known} events appended, 0 already present; the file contains 1 Job and 1 cluster\n`,
    );
    const all = eventsIn(readFileSync(whole, 'utf8')).length;
    const rest = await jobledger(elsewhere, ['admin', 'import', whole]);
    expect(rest.stdout).toContain(`${all - known} events appended, ${known} already present`);
    const ends = await endsOfLedger(elsewhere);
    const again = await jobledger(elsewhere, ['admin', 'import', whole]);
    expect(again.stdout).toContain(`0 events appended, ${all} already present`);
    expect(await endsOfLedger(elsewhere)).toEqual(ends);
  });

  it('appends no event when the ledger is the source of the export', async () => {
    const { stdout } = await jobledger(here.environment, ['admin', 'import', whole]);
    expect(stdout).toContain('0 events appended');
  });

  it('is refused for a cluster whose name belongs to another cluster in the ledger', async () => {
    const other = join(here.stateDir, 'other.ndjson');
    const [line = ''] = readFileSync(whole, 'utf8')
      .split('\n')
      .filter((each) => each.includes('cluster.connected'));
    const event = JSON.parse(line) as { id: string; data: { uid: string } };
    const data = { ...event.data, uid: 'another' };
    writeFileSync(other, JSON.stringify({ ...event, id: 'x', digest: computeDigest(data), data }));
    const { exitCode, stderr } = await jobledger(elsewhere, ['admin', 'import', other]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `"local" is the cluster ${event.data.uid} in this ledger, but another in the file`,
    );
  });

  it('leads to the same rows in SQL and the same result of verify, starts no workflow and changes no cluster', async () => {
    const before = { requests: countWrites(here), workflows: await listWorkflows(here) };
    // No service controls Jobs of the imported cluster.
    const env = { ...elsewhere, JOBLEDGER_CLUSTER_NAME: 'new' };
    const wanted = ['dispatcher', 'worker', 'projector'];
    const services = serviceChildren(env).filter(({ name }) => wanted.includes(name));
    await Promise.all(services.map((spec) => here.services.start({ ...spec, name: `other-${spec.name}` })));
    await untilRead(elsewhere, [projectedPositions, dispatchedPositions]);
    const [there, ours] = await Promise.all([readRows(elsewhere), readRows(here.environment)]);
    expect(Object.keys(ours)).toEqual(expect.arrayContaining(['jobs', 'pods', 'events', 'clusters']));
    expect(ours['pods']).toHaveLength(5);
    expect(there).toEqual(ours);

    const [verified, source] = [await verifyAll(here, topic), await verifyAll(here)];
    expect(source.exitCode).toBe(0);
    expect(source.decisions).toBeGreaterThan(3);
    expect(verified).toEqual({ ...source, seconds: expect.any(Number) });
    expect({ requests: countWrites(here), workflows: await listWorkflows(here) }).toEqual(before);
  });
});

type PositionsOf = (env: NodeJS.ProcessEnv) => Promise<Map<number, bigint>>;

/** Resolves when the readers have processed the whole ledger. */
async function untilRead(env: NodeJS.ProcessEnv, readers: PositionsOf[]): Promise<void> {
  await eventually(`everything of ${connectTo(env).topics.ledger} is read`, 60, async () => {
    const ends = [...(await endsOfLedger(env))];
    const positions = await Promise.all(readers.map((readPositions) => readPositions(env)));
    const isRead = positions.every((at) =>
      ends.every(([partition, end]) => (at.get(partition) ?? 0n) >= end),
    );
    return isRead ? true : undefined;
  });
}

async function projectedPositions(env: NodeJS.ProcessEnv): Promise<Map<number, bigint>> {
  const pool = new Pool({ connectionString: env['DATABASE_URL'] });
  try {
    const { rows } = await pool.query<{ partition: number; next: string }>(
      'select partition, next_offset as next from jobledger.positions where topic = $1',
      [connectTo(env).topics.ledger],
    );
    return new Map(rows.map(({ partition, next }) => [partition, BigInt(next)]));
  } finally {
    await pool.end();
  }
}

function dispatchedPositions(env: NodeJS.ProcessEnv): Promise<Map<number, bigint>> {
  const kafka = connectTo(env);
  return committedOffsets(kafka, consumerGroup(kafka, 'dispatcher'));
}

/** Counts the changes that services made on the API server, except those of Leases. */
function countWrites(installation: Installation): number {
  return installation
    .audit()
    .filter(
      ({ verb, user, objectRef }) =>
        OUR_USERS.includes(user.username) &&
        ['create', 'update', 'patch', 'delete'].includes(verb) &&
        objectRef?.resource !== 'leases',
    ).length;
}

async function listWorkflows(installation: Installation): Promise<string[]> {
  const client = await installation.temporal();
  try {
    const ids: string[] = [];
    const query = "WorkflowType = 'jobWorkflow'";
    for await (const { runId } of client.workflow.list({ query })) ids.push(runId);
    return ids.toSorted();
  } finally {
    await client.connection.close();
  }
}
