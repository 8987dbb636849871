import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { readEnds } from '../../services/adapters/kafka/scan.ts';
import { createSetAside, writeFaultyRun } from '../../services/consumers/dead-letters.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { openDatabase } from '../../services/adapters/postgres/database.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import { applyBatches } from '../../services/projector/apply.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import { readRecords } from '../../services/projector/read-records.ts';
import { aJob, aPod, jobObserved, podObserved } from '../projector/builders.ts';
import { MIGRATIONS } from '../projector/real-postgres.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { jobledger, rebuildTables } from '../support/rebuild.ts';

const KEY = 'east/job-1';
/** These are the records of one partition, in order. */
const RECORDS = [
  encodeEvent(jobObserved(1, aJob({ version: 1 }))),
  // The previous version could not read this record, and this version can.
  encodeEvent(podObserved(2, aPod({ name: 'pi-a', version: 2 }))),
  { key: KEY, value: '{' },
  encodeEvent(jobObserved(3, aJob({ version: 9, spec: { activeDeadlineSeconds: 1e19 } }))),
  encodeEvent(jobObserved(4, aJob({ version: 4, status: { active: 1 } }))),
];

let ledger: ALedger;
let partition: number;

beforeAll(async () => {
  ledger = await startLedger();
  await ledger.append(RECORDS);
  [partition] = [...(await readEnds(ledger.kafka, ledger.kafka.topics.ledger)).keys()] as [number];
  await projectAsBefore();
  await ledger.start('projector');
  await ledger.applied();
}, 120_000);
afterAll(() => ledger?.stop(), 60_000);

/** Projects the first two records as the previous version did, which could not read the second record. */
async function projectAsBefore(): Promise<void> {
  const database = openDatabase(ledger.environment, silentLog());
  const topic = ledger.kafka.topics.ledger;
  try {
    await migrate(database, MIGRATIONS);
    const [first, second] = RECORDS.map(({ key, value }, offset) => ({
      partition,
      offset: BigInt(offset),
      key,
      value: Buffer.from(value),
    })) as [LedgerRecord, LedgerRecord];
    const { events } = readRecords([first]);
    await createEnsureMonths(database)(events.map(({ event }) => event));
    const deadLetters = [{ record: second, reason: 'unknown event type' }];
    const batch = { partition, first: 0n, next: 2n, events, deadLetters };
    await applyBatches({ database, topic }, [{ batch, known: 0n }]);
  } finally {
    await database.close();
  }
}

async function lettersIn(): Promise<unknown[]> {
  const { rows } = await ledger.client.query(
    'select kafka_offset, retried_at is not null as back from jobledger.dead_letters order by 1',
  );
  return rows;
}

describe('dead letters of the projector', () => {
  it('are listed with partition, offset, key, reason and time', async () => {
    const { stdout, exitCode } = await jobledger(ledger.environment, 'admin', 'dead-letters', '-o', 'json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        partition,
        kafka_offset: '1',
        key: KEY,
        reason: 'unknown event type',
        found_by: 'projector',
        found_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        retried_at: null,
      },
      expect.objectContaining({ kafka_offset: '2', reason: 'the record is not JSON' }),
      expect.objectContaining({
        kafka_offset: '3',
        reason: expect.stringContaining('the record cannot be projected: Postgres refused a statement'),
      }),
    ]);
  }, 30_000);

  it('cannot be selected by an offset without a partition', async () => {
    expect(await jobledger(ledger.environment, 'admin', 'dead-letters', '--offset', '1')).toMatchObject({
      exitCode: 2,
    });
  }, 30_000);

  it('are projected by a retry when this version can read them, and otherwise stay with their reasons', async () => {
    const { stdout, exitCode } = await jobledger(ledger.environment, 'admin', 'dead-letters', '--retry');
    expect(exitCode).toBe(1);
    expect(stdout.trim().split('\n')).toEqual([
      `partition ${partition}, offset 2 remains a dead letter: the record is not JSON`,
      expect.stringContaining(
        `partition ${partition}, offset 3 remains a dead letter: it cannot be projected: Postgres`,
      ),
      '1 record appended again, 2 not',
    ]);
    await ledger.applied();
    const { rows } = await ledger.client.query('select name from jobledger.pods');
    expect(rows).toEqual([{ name: 'pi-a' }]);
    expect(await lettersIn()).toEqual([
      { kafka_offset: '1', back: true },
      { kafka_offset: '2', back: false },
      { kafka_offset: '3', back: false },
    ]);
    expect(await rebuildTables(ledger.environment, '--check')).toMatchObject({ exitCode: 0 });
  }, 60_000);

  it('are not appended again by a second retry', async () => {
    const ends = await readEnds(ledger.kafka, ledger.kafka.topics.ledger);
    const place = ['--partition', String(partition), '--offset', '1'];
    const { stdout, exitCode } = await jobledger(
      ledger.environment,
      'admin',
      'dead-letters',
      '--retry',
      ...place,
    );
    expect({ stdout, exitCode }).toEqual({ stdout: '0 records appended again, 0 not\n', exitCode: 0 });
    expect(await readEnds(ledger.kafka, ledger.kafka.topics.ledger)).toEqual(ends);
    const all = await jobledger(ledger.environment, 'admin', 'dead-letters', '--all', ...place);
    expect(all.stdout).toMatch(/PARTITION .*APPENDED AGAIN.*\n\d +1 +east\/job-1 .*unknown event type\n$/);
  }, 60_000);
});

describe('a dead letter of the dispatcher or of a worker', () => {
  const fault = "Cannot read properties of undefined (reading 'length')";
  /** Sets aside the record at offset 0, which the projector has projected. */
  const setAside = async (): Promise<void> => {
    const appender = await createAppender(ledger.kafka);
    const [first] = RECORDS as [{ key: string; value: string }];
    const record = { partition, offset: 0n, key: first.key, value: Buffer.from(first.value) };
    const letters = [{ record, reason: 'the record cannot be dispatched: a bug' }];
    // The record is set aside twice, as after a restart before the position was committed.
    for (const _time of [1, 2])
      await createSetAside(appender, ledger.kafka.topics, {
        by: 'dispatcher',
        onOpened: () => undefined,
      })(letters);
    const job = { cluster: 'east', uid: 'job-1', namespace: 'default', name: 'pi', kind: 'Job' as const };
    await writeFaultyRun(appender, ledger.kafka.topics, { job, fault });
    await appender.close();
  };
  const listed = async (...more: string[]): Promise<object[]> =>
    JSON.parse(
      (await jobledger(ledger.environment, 'admin', 'dead-letters', '-o', 'json', ...more)).stdout,
    ) as object[];
  const run = {
    partition: null,
    kafka_offset: null,
    key: KEY,
    reason: `nothing is decided about the Job default/pi: ${fault}`,
    found_by: 'worker',
    found_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    retried_at: null,
  };
  const dispatched = {
    ...run,
    partition: expect.any(Number),
    kafka_offset: '0',
    reason: 'the record cannot be dispatched: a bug',
    found_by: 'dispatcher',
  };

  beforeAll(setAside, 60_000);

  it('is listed beside the dead letters of the projector, and a dead letter about a workflow run has no position', async () => {
    const of = (by: string) => (each: object) => 'found_by' in each && each.found_by === by;
    const all = await listed();
    expect(all.filter(of('projector'))).toHaveLength(2);
    expect(all.slice(2)).toEqual([dispatched, run]);
    expect(await listed('--partition', String(partition), '--offset', '0')).toEqual([dispatched]);
    expect(await rebuildTables(ledger.environment, '--check')).toMatchObject({ exitCode: 0 });
  }, 60_000);

  it('leaves the list after a retry, which appends its record again, and returns to the list when the error occurs again', async () => {
    const ends = await readEnds(ledger.kafka, ledger.kafka.topics.ledger);
    const { stdout } = await jobledger(ledger.environment, 'admin', 'dead-letters', '--retry');
    expect(stdout.trim().split('\n').slice(-2)).toEqual([
      `${KEY} is a run without a record to append: the run was removed from the list, and a version that can decide about the object continues it`,
      '1 record appended again, 2 not',
    ]);
    const after = await readEnds(ledger.kafka, ledger.kafka.topics.ledger);
    expect(after.get(partition)).toBe((ends.get(partition) ?? 0n) + 1n);
    expect((await listed()).filter((each) => 'found_by' in each && each.found_by !== 'projector')).toEqual(
      [],
    );
    await setAside();
    expect((await listed()).slice(2)).toEqual([dispatched, run]);
  }, 120_000);
});
