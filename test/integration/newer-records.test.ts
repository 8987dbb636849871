import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { LOOPBACK, reservePorts } from '../../infra/local/ports.ts';
import { startLocalServers, type LocalServers } from '../../infra/local/servers.ts';
import { createSupervisor, type Supervisor } from '../../infra/processes/supervisor.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import type { EncodedEvent } from '../../services/adapters/event-codec.ts';
import { createAppender, type Appender } from '../../services/adapters/kafka/append.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { endsOf } from '../../services/adapters/kafka/scan.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { silentLog } from '../../services/adapters/log.ts';
import { serviceChildren } from '../../services/cli/verbs/up/service-children.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { eventually } from '../support/eventually.ts';
import { samplesAt, samplesOf } from '../support/metrics.ts';
import { differencesOf, jobledger, rebuildTables } from '../support/rebuild.ts';

const LEDGER = [...generateLedger({ events: 400, days: 2, variants: 1 })];
const [FIRST] = LEDGER as [EncodedEvent];
const NEWER = {
  key: FIRST.key,
  value: FIRST.value.replace(/"type":"dev\.jobledger\.[a-z.]+\.v1"/, '"type":"dev.jobledger.job.moved.v1"'),
};
const WORDS = 'dev.jobledger.job.moved.v1 is unknown to this version of Jobledger: start a newer one';
const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-newer-'));

let servers: LocalServers;
let services: Supervisor;
let kafka: KafkaConnection;
let appender: Appender;
let client: Client;
let environment: NodeJS.ProcessEnv;
/** Where the projector shows its metrics. */
let metrics: string;
/** Where the record of the newer version lies. */
let place: { partition: number; offset: bigint };

beforeAll(async () => {
  const say = (): void => undefined;
  servers = await startLocalServers({ stateDir, postgres: true, kafka: true, say });
  const { databaseUrl = '', kafkaBrokers = '' } = servers.addresses;
  environment = { DATABASE_URL: databaseUrl, KAFKA_BROKERS: kafkaBrokers };
  kafka = connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
  await ensureTopics(kafka, new AbortController().signal);
  appender = await createAppender(kafka);
  services = createSupervisor({ runDir: join(stateDir, 'run'), logsDir: join(stateDir, 'logs'), say });
  client = new Client(databaseUrl);
  await client.connect();
  const port = await reservePorts(join(stateDir, 'ports.json'), ['projector-metrics']);
  metrics = `${LOOPBACK}:${port('projector-metrics')}`;
  const children = serviceChildren({ ...process.env, ...environment }, { projector: metrics });
  await appender.write(kafka.topics.ledger, LEDGER);
  await services.start(children.find(({ name }) => name === 'projector') as (typeof children)[number]);
  await applied(BigInt(LEDGER.length));
  const before = await endsOf(kafka, kafka.topics.ledger);
  // All that is there once more, after the record of a newer version: repeats, which only move the positions.
  await appender.write(kafka.topics.ledger, [NEWER, ...LEDGER]);
  const ends = await endsOf(kafka, kafka.topics.ledger);
  const records = (from: ReadonlyMap<number, bigint>, partition: number): bigint => from.get(partition) ?? 0n;
  // Its own partition got one record more than what it repeats.
  const [partition] = [...ends.keys()].filter(
    (each) => records(ends, each) !== 2n * records(before, each),
  ) as [number];
  place = { partition, offset: records(before, partition) };
}, 120_000);

afterAll(async () => {
  await client?.end();
  await services?.stop();
  await appender?.close();
  await servers?.stop();
  rmSync(stateDir, { recursive: true, force: true });
}, 60_000);

async function positions(): Promise<Map<number, bigint>> {
  const { rows } = await client.query<{ partition: number; next: string }>(
    'select partition, next_offset as next from jobledger.positions',
  );
  return new Map(rows.map(({ partition, next }) => [partition, BigInt(next)]));
}

async function applied(records: bigint): Promise<void> {
  await eventually(`${records} records are applied`, 60, async () => {
    const sum = [...(await positions().catch(() => new Map<number, bigint>())).values()];
    return sum.reduce((total, each) => total + each, 0n) >= records ? true : undefined;
  });
}

describe('a record that a newer version wrote', () => {
  it('stops its partition in the projector, shown by a metric; the others go on, and nothing is set aside', async () => {
    const ends = await endsOf(kafka, kafka.topics.ledger);
    await eventually('the other partitions are applied', 60, async () => {
      const at = await positions();
      const isDone = [...ends].every(
        ([partition, end]) => at.get(partition) === (partition === place.partition ? place.offset : end),
      );
      return isDone ? true : undefined;
    });
    await eventually('the metric tells', 30, async () => {
      const stopped = samplesOf(await samplesAt(metrics), 'jobledger_stopped_partitions{');
      const told = Object.entries(stopped).filter(([, value]) => value === 1);
      return told.length === 1 && told[0]?.[0].includes(`partition="${place.partition}"`) ? true : undefined;
    });
    const { rows } = await client.query('select from jobledger.dead_letters');
    expect(rows).toEqual([]);
  }, 120_000);

  it('ends verify, which names it and claims nothing', async () => {
    const { exitCode, stdout, stderr } = await jobledger(environment, 'verify', '--all');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe(
      `jobledger: partition ${place.partition}, offset ${place.offset} of the ledger: ${WORDS}\n`,
    );
  }, 60_000);

  it('does not keep a rebuild from what lies before it; tables that have it already are not made without it', async () => {
    const before = await rebuildTables(environment, '--check');
    expect({ exitCode: before.exitCode, differences: differencesOf(before) }).toEqual({
      exitCode: 0,
      differences: [],
    });
    await services.stop();
    // As a projector of the newer version leaves it.
    const move = 'update jobledger.positions set next_offset = next_offset + $1 where partition = $2';
    await client.query(move, [1, place.partition]);
    const { exitCode, stderr } = await jobledger(environment, 'rebuild');
    await client.query(move, [-1, place.partition]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`partition ${place.partition}, offset ${place.offset} of the ledger: ${WORDS}`);
  }, 60_000);

  it('in a file is refused by its line before anything is appended; in the ledger it ends an import likewise', async () => {
    const file = join(stateDir, 'export.ndjson');
    const elsewhere = { ...environment, JOBLEDGER_LEDGER_TOPIC: 'elsewhere.ledger' };
    writeFileSync(file, `${FIRST.value}\n${NEWER.value}\n`);
    const refused = await jobledger(elsewhere, 'import', file);
    expect(refused).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `jobledger: nothing was imported:\n  line 2: ${WORDS}\n`,
    });
    await expect(endsOf(kafka, 'elsewhere.ledger')).rejects.toThrow('does not return the offsets');

    const ends = await endsOf(kafka, kafka.topics.ledger);
    writeFileSync(file, `${FIRST.value}\n`);
    const ended = await jobledger(environment, 'import', file);
    expect({ exitCode: ended.exitCode, stdout: ended.stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain(WORDS);
    expect(await endsOf(kafka, kafka.topics.ledger)).toEqual(ends);
  }, 60_000);
});
