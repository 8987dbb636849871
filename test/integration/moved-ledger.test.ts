import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import type { Kafka } from 'kafkajs';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { readExtents } from '../../services/adapters/kafka/scan.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { copyTopics } from '../support/copied-topics.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { listDifferences, jobledger, rebuildTables } from '../support/rebuild.ts';
import { startServers, type TestServers } from '../support/shared-servers/start-servers.ts';
import { steppedJobs } from '../support/stepped-job.ts';
import { verifyAll } from '../support/verify.ts';

// By the procedure of docs/engines/kafka.md, a ledger with open and finished Jobs moves to another Kafka cluster, where its records
// have other offsets.

jest.setTimeout(120_000);

const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'];
/** The shift is smaller than the number of records in a partition, so that some old positions seem to be valid. */
const SHIFT = 3;

const folder = mkdtempSync(join(tmpdir(), 'jobledger-move-'));
const filePath = (name: string): string => join(folder, name);
let installation: Installation;
let target: TestServers;
/** Services and verbs have these variables after the move. */
let moved: NodeJS.ProcessEnv;
const steps = steppedJobs(() => installation.cluster);

beforeAll(async () => {
  const stateDir = mkdtempSync(join(folder, 'kafka-'));
  [installation, target] = await Promise.all([
    install({ separate: true }),
    startServers({ stateDir, kafka: true, ownServers: true }),
  ]);
  moved = { ...installation.environment, ...target.environment };
  moved['JOBLEDGER_LEDGER_TOPIC'] = installation.environment['JOBLEDGER_LEDGER_TOPIC'];
  await installation.startServices();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(filePath('key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(filePath('pub'), publicKey.export({ type: 'spki', format: 'pem' }));
}, 120_000);

afterAll(async () => {
  await installation?.stop();
  await target?.servers.stop();
  steps.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function connect(environment: NodeJS.ProcessEnv): KafkaConnection<Kafka> {
  return connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
}

/** Appends a record that no version can read: the projector sets the record aside by its offset. */
async function appendUnreadable(): Promise<void> {
  const appender = await createAppender(connect(installation.environment));
  await appender.write(installation.environment['JOBLEDGER_LEDGER_TOPIC'] ?? '', [
    { key: 'local/unreadable', value: 'not an event' },
  ]);
  await appender.close();
  await eventually('it is a dead letter', 20, async () => {
    const rows = await installation.sql('select from jobledger.dead_letters');
    return rows.length > 0 ? true : undefined;
  });
}

async function isInSql(name: string): Promise<void> {
  await eventually(`${name} has ended in SQL`, 40, async () => {
    const [row] = await installation.sql<{ status: string }>(
      `select kubectl_status as status from jobledger.jobs where name = '${name}'`,
    );
    return row?.status === 'Complete' ? true : undefined;
  });
}

describe('a ledger that was moved to another Kafka cluster', () => {
  it('is found complete by verify with a checkpoint of the original, although its records have other offsets', async () => {
    await installation.cluster.createJob('finished', {}, {});
    await installation.cluster.finished('finished', 40);
    await steps.create('open');
    await steps.create('between');
    steps.proceed('between', 0);
    await steps.secondPodRuns('between');
    await appendUnreadable();
    await isInSql('finished');
    await installation.haltServices();

    const source = { ...installation.environment, JOBLEDGER_CHECKPOINT_KEY_FILE: filePath('key') };
    const signed = await jobledger(source, 'admin', 'checkpoint', '-o', filePath('before.json'));
    expect(signed).toMatchObject({ exitCode: 0 });
    await copyTopics(connect(source), connect(moved), { shift: SHIFT });

    const { ledger } = connect(moved).topics;
    const firsts = [...(await readExtents(connect(moved), ledger)).values()].map(({ first }) =>
      Number(first),
    );
    firsts.sort((a, b) => a - b);
    expect(firsts).toEqual(Array.from({ length: 8 }, (_none, partition) => SHIFT + partition));
    const checkpoint = ['--checkpoint', filePath('before.json'), '--public-key', filePath('pub')];
    const proved = await jobledger(moved, 'admin', 'verify', '--all', ...checkpoint);
    expect(proved).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no difference') });
  });

  it('is refused by services and verbs while the tables are those of the old cluster, and they name both clusters and the remedy', async () => {
    const message =
      /the tables were made from the ledger \S+ in the Kafka cluster \S+, but 127\.0\.0\.1:\d+ is the cluster \S+, where its records have other offsets\. If you have moved the ledger, stop the projectors, empty the tables \("drop schema jobledger cascade"\), and start one: it folds the ledger from its beginning; otherwise correct KAFKA_BROKERS \(docs\/engines\/kafka\.md\)/;
    const projector = await jobledger(moved, 'run', 'projector');
    expect(projector).toMatchObject({ exitCode: 78, stderr: expect.stringMatching(message) });
    const rebuild = await jobledger(moved, 'admin', 'rebuild', '--check');
    expect(rebuild).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) });
    const retry = await jobledger(moved, 'admin', 'dead-letters', '--retry');
    expect(retry).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) });
  });

  it('is continued after new tables were begun: open Jobs complete, and verify and rebuild find no difference', async () => {
    await installation.sql('drop schema jobledger cascade');
    const children = serviceChildren(moved, {
      metrics: installation.metrics,
      kubeconfigs: installation.servers.addresses.serviceKubeconfigs,
    });
    await Promise.all(
      children
        .filter(({ name }) => SERVICES.includes(name))
        .map((child) => installation.services.start(child)),
    );
    steps.proceed('between', 1);
    await steps.endsWell('between');
    steps.proceed('open', 0);
    await steps.secondPodRuns('open');
    steps.proceed('open', 1);
    await steps.endsWell('open');
    await installation.cluster.createJob('afterwards', {}, {});
    await installation.cluster.finished('afterwards', 40);
    for (const name of ['finished', 'between', 'open', 'afterwards']) await isInSql(name);

    expect(await verifyAll({ environment: moved, stateDir: installation.stateDir })).toMatchObject({
      findings: [],
      exitCode: 0,
    });
    const rebuilt = await rebuildTables(moved, '--check');
    expect(listDifferences(rebuilt)).toEqual([]);
    expect(rebuilt.exitCode).toBe(0);
    const extents = [...(await readExtents(connect(moved), connect(moved).topics.ledger)).values()];
    const records = extents.reduce((sum, { first, end }) => sum + Number(end - first), 0);
    expect(rebuilt.records).toBeLessThanOrEqual(records);
    const log = readFileSync(join(installation.stateDir, 'logs', 'dispatcher.log'), 'utf8');
    expect(log).toContain('the consumer group has no offset in these partitions');
  });
});
