import {
  decodeRecord,
  newerAt,
  NewerRecordError,
  UnreadableRecordError,
} from '../adapters/events/event-codec.ts';
import type { LedgerRecord } from '../adapters/kafka/subscribe.ts';
import type { PositionedEvent } from './projections/events.ts';
import { storable } from './storable.ts';

/** An unusable record, with the reason. */
export interface DeadLetter {
  record: LedgerRecord;
  reason: string;
}

/** Records in partition order, each decoded to an event or a dead letter. */
export interface ReadRecords {
  events: PositionedEvent[];
  deadLetters: DeadLetter[];
  /** The first record of a newer version. Neither this record nor later ones were read. */
  newer?: { offset: bigint; error: NewerRecordError };
}

export function readRecords(records: readonly LedgerRecord[]): ReadRecords {
  const read: ReadRecords = { events: [], deadLetters: [] };
  for (const record of records) {
    try {
      const text = record.value?.toString() ?? null;
      const { event: decoded, dataText } = decodeRecord(text);
      const event = storable(decoded, text ?? '');
      const { partition, offset } = record;
      read.events.push({ partition, offset, event, dataText: event === decoded ? dataText : null });
    } catch (error) {
      if (error instanceof NewerRecordError)
        return { ...read, newer: { offset: record.offset, error: newerAt(record, error) } };
      if (!(error instanceof UnreadableRecordError)) throw error;
      read.deadLetters.push({ record, reason: error.message });
    }
  }
  return read;
}
