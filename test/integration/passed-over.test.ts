import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { aCronJobLife } from '../projector/cron-job-life.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { eventually } from '../support/eventually.ts';
import { differencesOf, jobledger, rebuildTables } from '../support/rebuild.ts';

const LIFE = aCronJobLife();

let ledger: ALedger;

beforeAll(async () => {
  ledger = await startLedger();
}, 120_000);
afterAll(() => ledger?.stop(), 60_000);

describe('a projector after an upgrade from a version without tables of CronJobs', () => {
  it('reads the events that were passed over, and has the rows of a rebuild', async () => {
    await ledger.append(LIFE.map(encodeEvent));
    await jobledger(ledger.environment, 'migrate');
    await ledger.client.query(
      `insert into jobledger.positions (topic, partition, next_offset, applied_at)
       select $1, partition, case when partition = $2 then $3 else 0 end, now() from generate_series(0, 7) partition`,
      [ledger.kafka.topics.ledger, await partitionOfLife(), LIFE.length],
    );
    await ledger.start('projector');
    await eventually('the events are applied', 60, async () => {
      const { rows } = await ledger.client.query('select from jobledger.cron_job_events');
      return rows.length === LIFE.length ? true : undefined;
    });
    const rebuilt = await rebuildTables(ledger.environment, '--check');
    expect(differencesOf(rebuilt)).toEqual([]);
    const { rows } = await ledger.client.query(
      'select from jobledger.positions where cron_jobs_offset <> next_offset',
    );
    expect(rows).toEqual([]);
  }, 120_000);
});

async function partitionOfLife(): Promise<number> {
  const { topics, kafka } = ledger.kafka;
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topics.ledger);
  await admin.disconnect();
  return offsets.find(({ offset }) => Number(offset) > 0)?.partition ?? -1;
}
