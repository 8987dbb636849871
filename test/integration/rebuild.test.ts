import { encodeEvent, type EncodedEvent } from '../../services/adapters/events/event-codec.ts';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import { postgresEnvironment, readConfig } from '../../services/adapters/config.ts';
import { rebuild } from '../../services/projector/rebuild/rebuild.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { anAuditedRequest } from '../history/an-audited-request.ts';
import { aCronJobLife } from '../projector/cron-job-life.ts';
import { aNodeLife } from '../projector/node-events.ts';
import { claimantSeen } from '../projector/member-stream.ts';
import { aPlacedJobStream, member } from '../projector/placed-job-stream.ts';
import { pricesApplied } from '../projector/price-lists.ts';
import { aWaitingJob } from '../projector/waiting-job.ts';
import { MIGRATIONS } from '../projector/real-postgres.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { eventually } from '../support/eventually.ts';
import { runAfterFirstExtent } from '../support/before-extent.ts';
import { listDifferences, jobledger, rebuildTables } from '../support/rebuild.ts';

/** The other records arrive during the rebuild. */
const BEFORE = 5000;
const CRON_JOB_LIFE = aCronJobLife();
/** The records cover the last forty days, and include a chain, a placed Job and an audited request. */
let records: EncodedEvent[];
/** These records are appended after a later version has migrated the schema. */
let more: EncodedEvent[];

let ledger: ALedger;

beforeAll(async () => {
  const generated = await generateLedger({ events: 6000, days: 40, variants: 1 });
  const placed = aPlacedJobStream();
  placed.answers(2, { kind: 'CreateMember', result: 'created', member });
  const memberSeen = claimantSeen(3, { name: 'pi', uid: member.uid });
  const audited = anAuditedRequest(memberSeen, { receivedAt: memberSeen.time });
  const price = { resource: 'cpu', cluster: '*', perHour: '0.03', validFrom: '2026-01-01T00:00:00.000Z' };
  const prices = [pricesApplied(1, [price]), pricesApplied(2, [{ ...price, perHour: '0.04' }])];
  const special = [...aWaitingJob(), memberSeen, audited, ...placed.events, ...prices, ...aNodeLife()];
  records = [...special.map((event) => encodeEvent(event)), ...generated];
  more = [...(await generateLedger({ events: 300, days: 1, variants: 1, seed: 2 }))];
  ledger = await startLedger();
}, 120_000);
afterAll(() => ledger?.stop(), 60_000);

async function readRows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await ledger.client.query(text, values)).rows as Row[];
}

async function members(): Promise<string[]> {
  const rows = await readRows<{ uid: string }>('select uid from jobledger.jobs where member');
  return rows.map(({ uid }) => uid);
}

async function tamper(): Promise<{ pod: string; job: string; event: string }> {
  const [pod] = await readRows<{ uid: string }>(
    "update jobledger.pods set exit_code = 99 where uid = (select uid from jobledger.pods where phase = 'Failed' order by uid limit 1) returning uid",
  );
  const [job] = await readRows<{ uid: string }>(
    "delete from jobledger.jobs where uid = (select uid from jobledger.jobs where kubectl_status = 'Complete' order by uid limit 1) returning uid",
  );
  await readRows('delete from jobledger.jobs where uid = $1', [member.uid]);
  const [event] = await readRows<{ id: string }>(
    "insert into jobledger.events select id || '/invented', type, type_version, source, subject, cluster, job_uid, namespace, job_name, resource_version, time, kafka_partition, kafka_offset, digest, data from jobledger.events order by id limit 1 returning id",
  );
  if (pod === undefined || job === undefined || event === undefined)
    throw new Error('there is nothing to tamper with');
  return { pod: pod.uid, job: job.uid, event: event.id };
}

describe('rebuilt tables', () => {
  it('equal the live tables after kills of the projector, and with repeated events in the ledger', async () => {
    const unreadable = { key: 'east/nobody', value: '{' };
    const cronJob = CRON_JOB_LIFE.map(encodeEvent);
    await ledger.append([...records.slice(0, 2500), unreadable, ...cronJob.slice(0, 20)]);
    await ledger.append([...records.slice(1500, 3000), ...cronJob]);
    await ledger.start('projector');
    for (const count of [300, 1500, 3000]) {
      await ledger.applied(count);
      await ledger.services.kill('projector');
    }
    await ledger.append([...records.slice(0, 700), ...records.slice(2500, BEFORE)]);
    await ledger.applied();
    const rebuilt = await rebuildTables(ledger.environment);
    expect(listDifferences(rebuilt)).toEqual([]);
    expect(rebuilt).toMatchObject({ exitCode: 0, mended: false });
    for (const { rows, checksum, live } of rebuilt.tables) expect(live).toEqual({ rows, checksum });
    const rows = Object.fromEntries(rebuilt.tables.map(({ table, rows: count }) => [table, Number(count)]));
    const cronJobEvents = CRON_JOB_LIFE.length;
    expect(rows).toMatchObject({
      events: BEFORE,
      cron_job_events: cronJobEvents,
      event_ids: BEFORE + cronJobEvents,
      clusters: 3,
    });
    expect(await members()).toEqual([member.uid]);
    expect(Math.min(...Object.values(rows))).toBeGreaterThan(0);
  }, 120_000);

  it('reveal each row of the live tables that was changed, and with --check do not repair it', async () => {
    const { pod, job, event } = await tamper();
    const checked = await rebuildTables(ledger.environment, '--check');
    expect(checked).toMatchObject({ exitCode: 1, mended: false });
    const reported = listDifferences(checked);
    expect(reported).toEqual([
      expect.stringContaining(`events extra ${event}`),
      expect.stringMatching(new RegExp(`^jobs missing .*${job}$`)),
      expect.stringMatching(new RegExp(`^jobs missing .*${member.uid}$`)),
      expect.stringMatching(new RegExp(`^pods changed .*${pod}$`)),
    ]);
    const changed = checked.tables.flatMap(({ shown }) => shown).find(({ kind }) => kind === 'changed');
    expect(changed?.columns).toEqual([{ column: 'exit_code', live: 99, ledger: expect.any(Number) }]);
    expect(await readRows('select exit_code from jobledger.pods where uid = $1', [pod])).toEqual([
      { exit_code: 99 },
    ]);
  }, 60_000);

  it('replace wrong rows of the live tables in one transaction, while the projector runs and readers continue', async () => {
    const reader = new Client(ledger.environment.DATABASE_URL);
    await reader.connect();
    const count = async (): Promise<unknown> =>
      (
        await reader.query(
          'select (select count(*) from jobledger.jobs) as jobs, (select count(*) from jobledger.events) as events',
        )
      ).rows;
    try {
      await reader.query('begin isolation level repeatable read');
      const before = await count();
      const [rebuilt] = await Promise.all([
        rebuildTables(ledger.environment),
        ledger.append(records.slice(BEFORE)),
      ]);
      expect(rebuilt).toMatchObject({ exitCode: 0, mended: true });
      expect(await count()).toEqual(before);
      await reader.query('commit');
    } finally {
      await reader.end();
    }
    await ledger.applied();
    const again = await rebuildTables(ledger.environment, '--check');
    expect(listDifferences(again)).toEqual([]);
    expect(await members()).toEqual([member.uid]);
    expect(again.tables.find(({ table }) => table === 'events')?.live.rows).toBe(String(records.length));
  }, 120_000);

  it('can be compared with live tables to which the projector has applied newer records', async () => {
    const connection = runAfterFirstExtent(ledger.kafka, async () => {
      await ledger.append(records.slice(0, 50));
      await ledger.applied();
    });
    const postgres = readConfig(postgresEnvironment, ledger.environment);
    const onProgress = (): void => undefined;
    const checked = await rebuild({ postgres, connection, projection: null, isCheck: true, onProgress });
    expect(checked.tables.map(({ table, differences }) => [table, differences])).toEqual(
      checked.tables.map(({ table }) => [table, 0]),
    );
  }, 120_000);

  it('leave views and functions usable, and keep the rights of the role jobledger_reader', async () => {
    const [job] = await readRows<{ cluster: string; namespace: string; name: string; first_seen_at: Date }>(
      "select * from jobledger.jobs where kubectl_status = 'Complete' order by uid limit 1",
    );
    const seen = await readRows(
      'select kubectl_status as status from jobledger.job_as_of($1, $2, $3, now())',
      [job?.cluster, job?.namespace, job?.name],
    );
    expect(seen).toEqual([{ status: 'Complete' }]);
    const rights = await readRows(
      "select has_table_privilege('jobledger_reader', 'jobledger.jobs', 'select') as may",
    );
    expect(rights).toEqual([{ may: true }]);
  });
});

describe('months of events that the retention has dropped', () => {
  it('stay dropped after a rebuild, and after a projector that reads the whole ledger again', async () => {
    // A new month may have begun since the last event was recorded.
    const [last] = await readRows<{ month: string }>(
      "select to_char(max(time) at time zone 'UTC', 'YYYY-MM') as month from jobledger.events",
    );
    const before = last?.month ?? '';
    const dropping = await jobledger(ledger.environment, 'admin', 'retention', '--before', before);
    expect(dropping).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^dropped: \d{4}-\d{2}/) });
    const months =
      "select relname from pg_class where relname like 'events\\_2%' and relkind = 'r' order by 1";
    const left = await readRows(months);
    await ledger.client.query('delete from jobledger.positions');
    await ledger.services.kill('projector');
    await ledger.applied();
    const rebuilt = await rebuildTables(ledger.environment);
    expect(listDifferences(rebuilt)).toEqual([]);
    expect(await readRows(months)).toEqual(left);
    const rows = Object.fromEntries(rebuilt.tables.map(({ table, live }) => [table, Number(live.rows)]));
    expect(rows['events']).toBeLessThan(records.length);
    expect(rows['event_ids']).toBe(records.length + CRON_JOB_LIFE.length);
  }, 120_000);
});

describe('a rebuild that cannot be carried out', () => {
  it('names the available projections when the given projection does not exist', async () => {
    const { exitCode, stderr } = await jobledger(
      ledger.environment,
      'admin',
      'rebuild',
      '--projection',
      'job',
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('unknown projection "job"; available: events, cron_job_events, event_ids,');
  }, 30_000);

  it('reports that another rebuild is running, and does not wait for it', async () => {
    await ledger.client.query('select pg_advisory_lock(7213305883)');
    const { exitCode, stderr } = await jobledger(ledger.environment, 'admin', 'rebuild');
    await ledger.client.query('select pg_advisory_unlock_all()');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'jobledger: another rebuild of this database is running\n',
    });
  }, 30_000);

  it('leaves the tables unchanged when Postgres ends its connections, and the next rebuild succeeds', async () => {
    const schemas = "select nspname from pg_namespace where nspname = 'jobledger_rebuild'";
    const jobs = 'select count(*) from jobledger.jobs';
    const before = await readRows(jobs);
    const rebuilding = jobledger(ledger.environment, 'admin', 'rebuild');
    await eventually('connections are ended', 60, async () => {
      const own = "from pg_stat_activity where application_name = 'jobledger admin rebuild'";
      // The rebuild has a connection of its own and one for each thread.
      const ended = await readRows(
        `select pg_terminate_backend(pid) ${own} and (select count(*) ${own}) > 1`,
      );
      return ended.length > 0 ? true : undefined;
    });
    const { exitCode, stderr } = await rebuilding;
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('does not answer') });
    expect(await readRows(jobs)).toEqual(before);
    expect(await readRows(schemas)).toHaveLength(1);
    expect(await rebuildTables(ledger.environment, '--check')).toMatchObject({ exitCode: 0 });
    expect(await readRows(schemas)).toEqual([]);
  }, 120_000);

  it('reports a ledger that does not answer, or that is not the ledger of the tables', async () => {
    const away = await jobledger({ ...ledger.environment, KAFKA_BROKERS: '127.0.0.1:1' }, 'admin', 'rebuild');
    expect(away).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Kafka at 127.0.0.1:1 does not answer'),
    });
    await ledger.client.query(
      'update jobledger.positions set next_offset = next_offset + 1000000 where partition = 0',
    );
    const beyond = await jobledger(ledger.environment, 'admin', 'rebuild');
    expect(beyond).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('they were made from another ledger'),
    });
    await ledger.client.query(
      'update jobledger.positions set next_offset = next_offset - 1000000 where partition = 0',
    );
  }, 60_000);
});

describe('a database schema that a later version migrated', () => {
  beforeAll(async () => {
    const folder = join(ledger.stateDir, 'migrations');
    cpSync(MIGRATIONS, folder, { recursive: true });
    writeFileSync(
      join(folder, '9999-later.sql'),
      `create table later (id text primary key);
       alter table pods add column later text;
       alter table events add column later text;
       alter table decisions add column later text;
       alter table jobs add column later integer not null default 7;`,
    );
    await migrate({ config: ledger.environment }, folder);
  });

  it('accepts the rows that the projector of this version writes', async () => {
    await ledger.services.kill('projector');
    await ledger.append(more);
    await ledger.applied();
    const rows = await readRows('select later, count(*) > 0 as some from jobledger.jobs group by later');
    expect(rows).toEqual([{ later: 7, some: true }]);
  }, 120_000);

  it('lets a rebuild of this version repair rows, and the rebuild does not change unknown columns', async () => {
    await ledger.client.query("update jobledger.pods set later = 'kept'");
    const { pod, job } = await tamper();
    const rebuilt = await rebuildTables(ledger.environment);
    expect(rebuilt).toMatchObject({ exitCode: 0, mended: true });
    expect(listDifferences(rebuilt)).toHaveLength(4);
    expect(
      await readRows('select later, exit_code = 99 as wrong from jobledger.pods where uid = $1', [pod]),
    ).toEqual([{ later: 'kept', wrong: false }]);
    expect(await readRows('select later from jobledger.jobs where uid = $1', [job])).toEqual([{ later: 7 }]);
    expect(await rebuildTables(ledger.environment, '--check')).toMatchObject({ exitCode: 0 });
  }, 120_000);

  it('can be read by "get" and the API of this version', async () => {
    const { exitCode, stdout } = await jobledger(ledger.environment, 'get');
    expect({ exitCode, lines: stdout.split('\n').length > 10 }).toEqual({ exitCode: 0, lines: true });
    const kubeconfig = join(ledger.stateDir, 'kubeconfig');
    writeFileSync(kubeconfig, NO_CLUSTER);
    const port = await reservePorts(join(ledger.stateDir, 'ports.json'), ['api']);
    const api = `${LOOPBACK}:${port('api')}`;
    await ledger.start('api', {
      JOBLEDGER_KUBECONFIG: kubeconfig,
      TEMPORAL_ADDRESS: `${LOOPBACK}:1`,
      JOBLEDGER_API_ADDRESS: api,
      JOBLEDGER_API_WITHOUT_TOKENS: 'true',
    });
    for (const path of ['jobs', 'events', 'clusters']) {
      const answer = await fetch(`http://${api}/v1/${path}`);
      const { items } = (await answer.json()) as { items: unknown[] };
      expect({ path, status: answer.status, some: items.length > 0 }).toEqual({
        path,
        status: 200,
        some: true,
      });
    }
  }, 60_000);
});

describe('an event that is in two partitions', () => {
  it('counts once in a rebuild, as in the projector', async () => {
    const moved = records.slice(0, 50).map(({ value }, at) => ({ key: `elsewhere/${at}`, value }));
    await ledger.append(moved);
    await ledger.applied();
    expect(await rebuildTables(ledger.environment)).toMatchObject({ exitCode: 0 });
    const rows = await readRows(
      'select count(*)::int, count(distinct id)::int as ids from jobledger.event_ids',
    );
    const count = records.length + more.length + CRON_JOB_LIFE.length;
    expect(rows).toEqual([{ count, ids: count }]);
  }, 120_000);
});

/** The only cluster of this kubeconfig does not answer. */
const NO_CLUSTER = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'none',
  clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:1' } }],
  users: [{ name: 'none', user: {} }],
  contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
});
