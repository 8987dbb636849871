import { createHash, generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES } from '../../cli/verbs/up/service-children.ts';
import { openStateDirectory } from '../../infra/local/state/state-directory.ts';
import { manifestPath } from '../../cli/ledger/archive-manifest.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { openFeatureLevel } from '../../services/installation/feature-level.ts';
import {
  readInstallationRecords,
  writeInstallationRecord,
} from '../../services/installation/installation-records.ts';
import {
  FIRST_RELEASE,
  ownStamp,
  requireOwnLedger,
  stampLedger,
  stampOfSources,
} from '../../services/installation/stamp.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { jobledger } from '../support/rebuild.ts';
import { topicBeside } from '../support/shared-servers/own-topics.ts';
import { runBeforeFirstExtent } from '../support/before-extent.ts';

const FORMATS = ['workflows', 'services'];
const WRITTEN_BY_ANOTHER =
  'was written by another unreleased version of Jobledger: begin with a new state directory, or with empty servers, and first run "jobledger admin export" of that version if you want to keep its data';
const NO_CLUSTER = `apiVersion: v1
kind: Config
clusters: [{ name: east, cluster: { server: 'http://127.0.0.1:9' } }]
contexts: [{ name: east, context: { cluster: east, user: east } }]
users: [{ name: east, user: {} }]
current-context: east
`;
const stop = new AbortController();
const options = { signal: stop.signal, onTooOld: () => undefined };

let ledger: ALedger;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-stamp-'));
  ledger = await startLedger();
}, 120_000);
afterAll(async () => {
  stop.abort();
  await ledger?.stop();
  rmSync(folder, { recursive: true });
}, 60_000);

/** Runs a service whose cluster and Temporal never answer. */
function service(name: string, variables: NodeJS.ProcessEnv): ReturnType<typeof jobledger> {
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, NO_CLUSTER);
  const more = {
    JOBLEDGER_KUBECONFIG: kubeconfig,
    JOBLEDGER_API_ADDRESS: '127.0.0.1:0',
    JOBLEDGER_API_WITHOUT_TOKENS: 'true',
    TEMPORAL_ADDRESS: '127.0.0.1:9',
  };
  return jobledger({ ...variables, ...more }, 'run', name);
}

/** Makes a copy of the sources of all formats, with some files changed. */
function sources(name: string, changes: Record<string, (text: string) => string> = {}): string {
  const root = join(folder, name);
  for (const each of FORMATS) cpSync(each, join(root, each), { recursive: true });
  for (const [file, change] of Object.entries(changes)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), change(readFileSync(file, 'utf8')));
  }
  return root;
}

const withWord = (text: string): string => `${text}\n-- another word\n`;
const OF_SOURCES = stampOfSources(PACKAGE_DIR);

describe('the stamp of a version', () => {
  it('is the same for each copy of its sources, with either line ending', () => {
    const windows = { 'workflows/job/core.ts': (text: string) => text.replaceAll('\n', '\r\n') };
    expect(stampOfSources(sources('copy'))).toBe(OF_SOURCES);
    expect(stampOfSources(sources('windows', windows))).toBe(OF_SOURCES);
    expect(OF_SOURCES).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    'workflows/job/core.ts',
    'services/adapters/events/event-types.ts',
    'services/live-topic/live-topic.ts',
    'services/ingester/live-set/live-set.ts',
    'services/ingester/redaction/redact.ts',
    'services/projector/projections/jobs.ts',
    'services/projector/migrations/0001-schema.sql',
  ])('differs when %s changes', (file) => {
    expect(stampOfSources(sources(file.replaceAll('/', '-'), { [file]: withWord }))).not.toBe(OF_SOURCES);
  });

  it('stays the same when a source changes that determines no stored format', () => {
    const changes = { 'workflows/history/instant.ts': withWord, 'services/installation/stamp.ts': withWord };
    expect(stampOfSources(sources('reader', changes))).toBe(OF_SOURCES);
  });

  it('is computed from the sources until the first release, and is the stamp of the first release afterwards', () => {
    expect(ownStamp()).toBe(FIRST_RELEASE ?? OF_SOURCES);
  });
});

/** Makes a ledger without a stamp. */
async function newLedger(name: string): Promise<KafkaConnection> {
  const topic = topicBeside(ledger.environment, name);
  const config = readConfig(kafkaEnvironment, { ...ledger.environment, JOBLEDGER_LEDGER_TOPIC: topic });
  const kafka = connectKafka(config, silentLog());
  await ensureTopics(kafka, stop.signal);
  return kafka;
}

async function append(kafka: KafkaConnection): Promise<void> {
  const appender = await createAppender(kafka);
  await appender.append([jobObserved(1, aJob({ version: 1 }))]);
  await appender.close();
}

async function readStamp(kafka: KafkaConnection): Promise<string | undefined> {
  return (await readInstallationRecords(kafka)).get('stamp');
}

describe('a new ledger in Kafka', () => {
  it('gets the stamp of the service that begins it, which can then open it again', async () => {
    const kafka = await newLedger('new.ledger');
    await requireOwnLedger(kafka);
    expect(await readStamp(kafka)).toBeUndefined();
    await openFeatureLevel(kafka, options);
    expect(await readStamp(kafka)).toBe(JSON.stringify(ownStamp()));
    await append(kafka);
    await openFeatureLevel(kafka, options);
    await requireOwnLedger(kafka);
  }, 60_000);

  it('can be begun by a service whose predecessor was killed after recording the stamp', async () => {
    const kafka = await newLedger('killed.ledger');
    await stampLedger(kafka);
    await openFeatureLevel(kafka, options);
    expect(await readStamp(kafka)).toBe(JSON.stringify(ownStamp()));
  }, 60_000);

  it('belongs to the first of two versions that begin it at the same time', async () => {
    // All released versions have the same stamp.
    if (FIRST_RELEASE !== null) return;
    const kafka = await newLedger('race.ledger');
    const late = runBeforeFirstExtent(kafka, () => writeInstallationRecord(kafka, 'stamp', 'first'));
    await expect(openFeatureLevel(late, options)).rejects.toThrow(WRITTEN_BY_ANOTHER);
    expect(await readStamp(kafka)).toBe('"first"');
  }, 60_000);

  it('can be begun by two services of one version at the same time', async () => {
    const kafka = await newLedger('both.ledger');
    const late = runBeforeFirstExtent(kafka, async () => {
      await stampLedger(kafka);
      await append(kafka);
    });
    await openFeatureLevel(late, options);
    expect(await readStamp(kafka)).toBe(JSON.stringify(ownStamp()));
  }, 60_000);
});

describe('a ledger of another unreleased version', () => {
  it('is refused when it has records and no stamp, unless the version is a release, which records its stamp again', async () => {
    const kafka = await newLedger('unstamped.ledger');
    await append(kafka);
    if (FIRST_RELEASE !== null) {
      await openFeatureLevel(kafka, options);
      expect(await readStamp(kafka)).toBe(JSON.stringify(FIRST_RELEASE));
      return;
    }
    const refusal = `the ledger ${kafka.topics.ledger} ${WRITTEN_BY_ANOTHER}`;
    await expect(openFeatureLevel(kafka, options)).rejects.toThrow(refusal);
    await expect(requireOwnLedger(kafka)).rejects.toThrow(refusal);
    expect(await readStamp(kafka)).toBeUndefined();
  }, 60_000);

  it('is refused by each service, and by each verb that uses the ledger', async () => {
    const kafka = await newLedger('other.ledger');
    await writeInstallationRecord(kafka, 'stamp', 'other');
    const verb = { ...ledger.environment, JOBLEDGER_LEDGER_TOPIC: kafka.topics.ledger };
    const stderr = expect.stringContaining(`the ledger ${kafka.topics.ledger} ${WRITTEN_BY_ANOTHER}`);
    const file = join(folder, 'export.jsonl');
    writeFileSync(file, '\n');
    const sha256 = createHash('sha256').update('\n').digest('hex');
    const nothing = {
      events: 0,
      jobs: 0,
      cronJobs: 0,
      clusters: 0,
      endedBefore: null,
      writtenAt: '',
      sha256,
    };
    writeFileSync(manifestPath(file), JSON.stringify(nothing));
    const key = join(folder, 'key.pem');
    writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    for (const line of [
      'admin export',
      'admin verify --all',
      'admin upgrade',
      'admin rebuild --check',
      'admin dead-letters --retry',
      'admin retention --ended-before 2026-01-01T00:00:00Z',
      'clusters',
      'clusters cordon east',
      `admin import ${file}`,
      `admin checkpoint --key-file ${key}`,
    ])
      expect({ line, ...(await jobledger(verb, ...line.split(' '))) }).toMatchObject({
        line,
        exitCode: 2,
        stderr,
      });
    for (const name of SERVICES)
      expect({ name, ...(await service(name, verb)) }).toMatchObject({ name, exitCode: 78, stderr });
    expect([...(await readInstallationRecords(kafka)).keys()]).toEqual(['stamp']);
  }, 180_000);
});

describe('tables of another unreleased version in Postgres', () => {
  it('are refused by each service and each verb that uses them', async () => {
    const refusal = `the schema jobledger of this database ${WRITTEN_BY_ANOTHER}`;
    const { rows } = await ledger.client.query<{ stamp: string }>(
      'select distinct stamp from jobledger.migrations',
    );
    expect(rows).toEqual([{ stamp: ownStamp() }]);
    await ledger.client.query(`update jobledger.migrations set stamp = 'other'`);
    const stderr = expect.stringContaining(refusal);
    for (const line of [
      'get',
      'history pi',
      'admin migrate',
      'admin rebuild --check',
      'admin retention --before 2026-08',
      'admin upgrade',
    ])
      expect({ line, ...(await jobledger(ledger.environment, ...line.split(' '))) }).toMatchObject({
        line,
        exitCode: 2,
        stderr,
      });
    for (const name of ['projector', 'worker', 'api'])
      expect({ name, ...(await service(name, ledger.environment)) }).toMatchObject({
        name,
        exitCode: 78,
        stderr,
      });
    await ledger.client.query('alter table jobledger.migrations drop column stamp');
    expect(await jobledger(ledger.environment, 'get')).toMatchObject({ exitCode: 2, stderr });
  }, 120_000);
});

describe('the state directory of local servers', () => {
  it('gets the stamp of the version that begins it, and that version can open it again', () => {
    const dir = join(folder, 'own');
    const begun = openStateDirectory(dir, 'servers', 'a test');
    expect(readFileSync(join(dir, 'stamp'), 'utf8')).toBe(ownStamp());
    mkdirSync(join(dir, 'kafka'));
    begun.release();
    openStateDirectory(dir, 'servers', 'a test').release();
  });

  it('is refused without a stamp or with another stamp, and is opened with the own stamp', () => {
    const dir = join(folder, 'other');
    mkdirSync(join(dir, 'postgres'), { recursive: true, mode: 0o700 });
    const refusal = `the state directory ${dir} ${WRITTEN_BY_ANOTHER}`;
    expect(() => openStateDirectory(dir, 'up', 'a test')).toThrow(refusal);
    writeFileSync(join(dir, 'stamp'), 'other');
    expect(() => openStateDirectory(dir, 'up', 'a test')).toThrow(refusal);
    writeFileSync(join(dir, 'stamp'), ownStamp());
    openStateDirectory(dir, 'up', 'a test').release();
  });
});
