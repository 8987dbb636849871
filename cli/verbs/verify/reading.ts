import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { decodeEvent, eventKey, readEvent } from '../../../services/adapters/events/event-codec.ts';
import {
  NewerRecordError,
  UnreadableRecordError,
} from '../../../services/adapters/events/unreadable-record.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { readExtents, scan, type Extent } from '../../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';
import { readLines } from '../../ledger/lines.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { progressLine } from '../../print/progress-line.ts';

type Visit = (record: LedgerRecord) => void;

/** Reads all events as often as needed, in ledger order by stream, and shows the progress. */
export interface EventReading {
  records: number;
  /** `record` is null in a file. `onRecord` receives unreadable records too. Returns the number of all records. */
  events(visit: (event: LedgerEvent, record: LedgerRecord | null) => void, onRecord?: Visit): Promise<number>;
  /** Limits the next readings to the events of these streams, `<cluster>/<uid>`. */
  readEvents(streams: ReadonlySet<string>, visit: (event: LedgerEvent) => void): Promise<void>;
}

/** Reads the ledger up to its present end. */
export interface Reading extends EventReading {
  extents: ReadonlyMap<number, Extent>;
  /** Returns every record, without decoding it. */
  raw(onRecord: Visit): Promise<void>;
}

/** Opens a reading of the ledger up to its present end. */
export async function openReading(connection: KafkaConnection): Promise<Reading> {
  const { ledger } = connection.topics;
  const extents = await readExtents(connection, ledger);
  const filled = [...extents].filter(([, { first, end }]) => end > first);
  const to = new Map(filled.map(([partition, { end }]) => [partition, end]));
  const records = filled.reduce((sum, [, { first, end }]) => sum + Number(end - first), 0);
  // Runs a reading, and shows the number of its records.
  const withProgress = async <T>(
    onRecord: Visit | undefined,
    read: (count: Visit) => Promise<T>,
  ): Promise<T> => {
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
      withProgress(onRecord, (count) => readLedger(connection, visit, { to, onRecord: count })),
    readEvents: (streams, visit) =>
      withProgress(undefined, (count) =>
        scan(
          connection,
          ledger,
          (record) => {
            count(record);
            const event = streams.has(record.key) ? readEvent(record) : null;
            if (event !== null) visit(event);
          },
          to,
        ),
      ),
    raw: (onRecord) => withProgress(onRecord, (count) => scan(connection, ledger, count, to)),
  };
}

/** Reads an export. @throws InputError that names a line without an event, or with an event that only a newer version can read. */
export async function openExport(file: string): Promise<EventReading> {
  let records = 0;
  for await (const _line of readLines(file)) records += 1;
  // Passes each event of the file to `visit`, and shows the progress.
  const read = async (visit: (event: LedgerEvent) => void): Promise<void> => {
    const progress = progressLine(process.stderr, 'records');
    let done = 0;
    try {
      for await (const { number, text } of readLines(file)) {
        visit(eventIn(file, number, text));
        done += 1;
        progress.show(done, records);
      }
    } finally {
      progress.end();
    }
  };
  return {
    records,
    async events(visit) {
      await read((event) => visit(event, null));
      return 0;
    },
    readEvents: (streams, visit) =>
      read((event) => {
        if (streams.has(eventKey(event))) visit(event);
      }),
  };
}

/** Decodes a line of the file. @throws InputError that names the line. */
function eventIn(file: string, number: number, text: string): LedgerEvent {
  try {
    return decodeEvent(text);
  } catch (error) {
    if (error instanceof UnreadableRecordError || error instanceof NewerRecordError)
      throw new InputError(`${file}, line ${number}: ${error.message}`);
    throw error;
  }
}
