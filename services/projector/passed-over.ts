import { isOfCronJob } from '../../workflows/ledger-event.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { extentsOf, readRanges } from '../adapters/kafka/scan.ts';
import type { LedgerRecord } from '../adapters/kafka/subscribe.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { applyPassedOver, type AppliedLedger } from './apply.ts';
import { keepRepairing } from './keep-repairing.ts';
import { readRecords } from './read-records.ts';

/** Every record of a CronJob contains it. Other records need not be decoded. */
const MARK = '"cronJobUid"';

/**
 * Applies the events of CronJobs that a projector without tables for CronJobs has skipped: once after an upgrade, and
 * again when such a projector runs beside this one. It reads the ledger, so its duration grows with the ledger.
 */
export function keepPassedOver(
  ledger: AppliedLedger,
  { connection, signal }: { connection: KafkaConnection; signal: AbortSignal },
): Promise<void> {
  const failed = 'events of CronJobs that an older version skipped are not applied; trying again';
  return keepRepairing(
    async () => {
      for (const range of await passedOver(ledger)) await applyRange(ledger, connection, range, signal);
    },
    { failed, log: connection.log, signal },
  );
}

interface PassedOverRange {
  partition: number;
  from: bigint;
  to: bigint;
}

async function passedOver({ database, topic }: AppliedLedger): Promise<PassedOverRange[]> {
  const rows = await database.run<{ partition: number; from: string; to: string }>(
    sql`select partition, cron_jobs_offset as from, next_offset as to from jobledger.positions
      where topic = ${topic} and cron_jobs_offset < next_offset order by partition`,
  );
  return rows.map(({ partition, from, to }) => ({ partition, from: BigInt(from), to: BigInt(to) }));
}

async function applyRange(
  ledger: AppliedLedger,
  connection: KafkaConnection,
  { partition, from, to }: PassedOverRange,
  signal: AbortSignal,
): Promise<void> {
  connection.log.info(
    { partition, from: from.toString(), to: to.toString() },
    'reading events of CronJobs that an older version skipped',
  );
  const { end = 0n } = (await extentsOf(connection, ledger.topic)).get(partition) ?? {};
  const ranges = new Map([[partition, [{ from, to: to < end ? to : end }]]]);
  const onRecords = async (records: readonly LedgerRecord[]): Promise<void> => {
    const last = records.at(-1);
    if (last === undefined) return;
    const { events, newer } = readRecords(records.filter(({ value }) => value?.includes(MARK) === true));
    if (newer !== undefined) throw newer.error;
    const ofCronJobs = events.filter(({ event }) => isOfCronJob(event));
    await applyPassedOver(ledger, { partition, events: ofCronJobs, next: last.offset + 1n });
  };
  await readRanges(connection, ledger.topic, ranges, onRecords, { signal });
  // The last offsets may hold no record, for example the end of a transaction.
  await applyPassedOver(ledger, { partition, events: [], next: to });
}
