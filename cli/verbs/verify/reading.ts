import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { extentsOf, scan, type Extent } from '../../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscribe.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { progressLine } from '../../print/progress-line.ts';

type Visit = (record: LedgerRecord) => void;

/** Reads the ledger up to its present end, as often as needed, and shows the progress. */
export interface Reading {
  extents: ReadonlyMap<number, Extent>;
  records: number;
  /** `onRecord` receives unreadable records too. Returns their number. */
  events(visit: (event: LedgerEvent, record: LedgerRecord) => void, onRecord?: Visit): Promise<number>;
  /** Every record, without decoding it. */
  raw(onRecord: Visit): Promise<void>;
}

export async function openReading(connection: KafkaConnection): Promise<Reading> {
  const { ledger } = connection.topics;
  const extents = await extentsOf(connection, ledger);
  const filled = [...extents].filter(([, { first, end }]) => end > first);
  const to = new Map(filled.map(([partition, { end }]) => [partition, end]));
  const records = filled.reduce((sum, [, { first, end }]) => sum + Number(end - first), 0);
  const counting = async <T>(onRecord: Visit | undefined, read: (count: Visit) => Promise<T>): Promise<T> => {
    const progress = progressLine(process.stderr, 'records');
    let done = 0;
    try {
      return await read((record) => {
        onRecord?.(record);
        done += 1;
        progress.show(done, records);
      });
    } finally {
      progress.end();
    }
  };
  return {
    extents,
    records,
    events: (visit, onRecord) =>
      counting(onRecord, (count) => readLedger(connection, visit, { to, onRecord: count })),
    raw: (onRecord) => counting(onRecord, (count) => scan(connection, ledger, count, to)),
  };
}
