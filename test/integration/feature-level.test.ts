import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { SUPPORTED_LEVELS } from '../../services/adapters/events/feature-levels.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import {
  openFeatureLevel,
  readFeatureLevel,
  recordFeatureLevel,
} from '../../services/installation/feature-level.ts';
import { stampLedger } from '../../services/installation/stamp.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { finalize } from '../../cli/verbs/upgrade/finalize.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { eventually } from '../support/eventually.ts';
import { jobledger } from '../support/rebuild.ts';
import { topicBeside } from '../support/shared-servers/own-topics.ts';
import { jobObserved, aJob } from '../projector/builders.ts';
import { runBeforeFirstExtent } from '../support/before-extent.ts';

const MAX = SUPPORTED_LEVELS.max;
/** A later version supports these levels. */
const LATER = { min: 1, max: 2 };
const stop = new AbortController();

let ledger: ALedger;

beforeAll(async () => {
  // The tests recognize a running projector by the tables that it creates.
  ledger = await startLedger({ database: 'empty' });
}, 120_000);
afterAll(async () => {
  stop.abort();
  await ledger?.stop();
}, 60_000);

/** Connects to a new ledger. */
async function installation(name: string): Promise<KafkaConnection> {
  const topic = topicBeside(ledger.environment, name);
  const config = readConfig(kafkaEnvironment, { ...ledger.environment, JOBLEDGER_LEDGER_TOPIC: topic });
  const connection = connectKafka(config, silentLog());
  await ensureTopics(connection, stop.signal);
  await stampLedger(connection);
  return connection;
}

const options = { signal: stop.signal, onTooOld: () => undefined };

describe('the feature level', () => {
  it('is, in a new installation, the highest level that the version supports', async () => {
    const kafka = await installation('new.ledger');
    expect(await readFeatureLevel(kafka)).toBe(1);
    expect((await openFeatureLevel(kafka, { ...options, supported: LATER })).current()).toBe(2);
    expect(await readFeatureLevel(kafka)).toBe(2);
  }, 60_000);

  it('is 1 in an installation whose recorded level was lost, until the operator raises it with --finalize', async () => {
    const kafka = await installation('lost.ledger');
    const appender = await createAppender(kafka);
    await appender.append([jobObserved(1, aJob({ version: 1 }))]);
    await appender.close();
    const level = await openFeatureLevel(kafka, { ...options, supported: LATER });
    expect(level.current()).toBe(1);
    expect(await finalize(kafka, new Map(), LATER)).toEqual({ before: 1, level: 2 });
    await eventually('the service notices', 20, () =>
      Promise.resolve(level.current() === 2 ? true : undefined),
    );
    expect(await finalize(kafka, new Map(), LATER)).toEqual({ before: 2, level: 2 });
  }, 60_000);

  it('is not lowered by a process of an older version that starts at the same moment in a new installation', async () => {
    const kafka = await installation('twice.ledger');
    const racing = runBeforeFirstExtent(kafka, () => recordFeatureLevel(kafka, LATER.max + 1));
    await expect(openFeatureLevel(racing, { ...options, supported: LATER })).rejects.toThrow(
      `this installation is at feature level ${LATER.max + 1}`,
    );
    expect(await readFeatureLevel(kafka)).toBe(LATER.max + 1);
  }, 60_000);

  it('is the recorded level in a new installation when another process records it first', async () => {
    const kafka = await installation('begun.ledger');
    const late = runBeforeFirstExtent(kafka, async () => {
      await recordFeatureLevel(kafka, 2);
      const appender = await createAppender(kafka);
      await appender.append([jobObserved(1, aJob({ version: 1 }))]);
      await appender.close();
    });
    expect((await openFeatureLevel(late, { ...options, supported: LATER })).current()).toBe(2);
  }, 60_000);

  it('is not raised while a reader is stopped at a record that this version cannot read', async () => {
    const kafka = await installation('stopped.ledger');
    const appender = await createAppender(kafka);
    const value =
      '{"specversion":"1.0","id":"1","source":"east","type":"dev.jobledger.job.moved.v9","subject":"","time":"2026-03-31T23:59:00Z","digest":"","data":{}}';
    await appender.write(kafka.topics.ledger, [{ key: 'east/job-1', value }]);
    await appender.close();
    const positions = new Map(Array.from({ length: 8 }, (_none, partition) => [partition, 0n]));
    await expect(finalize(kafka, positions, LATER)).rejects.toThrow(
      /readers have stopped.*\n {2}partition \d, offset 0 of the ledger: dev\.jobledger\.job\.moved\.v9 is unknown/,
    );
    expect(await readFeatureLevel(kafka)).toBe(1);
  }, 60_000);

  it('ends services that support only lower levels, prevents their start, and makes them print instructions', async () => {
    const { kafka } = ledger;
    const projector = jobledger(ledger.environment, 'run', 'projector');
    await eventually('the projector has recorded the level', 60, async () =>
      (await jobledger(ledger.environment, 'admin', 'upgrade')).exitCode === 0 ? true : undefined,
    );
    await recordFeatureLevel(kafka, MAX + 1);
    const message = `this installation is at feature level ${MAX + 1}, but this version of Jobledger supports levels up to ${MAX} and cannot read its records; start a newer version`;
    expect(await projector).toMatchObject({ exitCode: 78, stderr: expect.stringContaining(message) });
    const again = await jobledger(ledger.environment, 'run', 'projector');
    expect(again).toMatchObject({ exitCode: 78, stderr: expect.stringContaining(message) });
    expect(await jobledger(ledger.environment, 'admin', 'upgrade', '--finalize')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('finish the upgrade with the newer version'),
    });
  }, 120_000);
});

describe('the verb "jobledger admin upgrade"', () => {
  it('shows the feature level and the levels that this version supports, and reports that no step is left', async () => {
    const { topics } = await installation('shown.ledger');
    const verb = { ...ledger.environment, JOBLEDGER_LEDGER_TOPIC: topics.ledger };
    expect(await jobledger(verb, 'admin', 'upgrade')).toEqual({
      exitCode: 0,
      stdout:
        'Feature level:  1\nThis version:   supports level 1\nSchema:         up to date for this version\n',
      stderr: '',
    });
    expect(await jobledger(verb, 'admin', 'upgrade', '--finalize')).toEqual({
      exitCode: 0,
      stdout: 'the feature level is 1 already: nothing to do\n',
      stderr: '',
    });
  }, 60_000);
});
