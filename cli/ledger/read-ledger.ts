import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { readEvent } from '../../services/adapters/events/event-codec.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { scan, type Offsets } from '../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { requireOwnLedger } from '../../services/installation/stamp.ts';
import { resolveAddresses } from '../addresses.ts';
import type { StateDirOption } from '../options.ts';

/** A verb fails when Kafka returns no record for this long, in milliseconds. */
const READ_LIMIT_MS = 45_000;

/**
 * A Kafka connection for a verb, without logs. Reads any ledger; use `openLedger` unless the topics may not exist
 * yet.
 */
export function connectLedger(options: StateDirOption): KafkaConnection {
  const environment = { ...process.env, ...resolveAddresses(options).kafka };
  const connection = connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
  return { ...connection, readLimitMs: READ_LIMIT_MS };
}

/**
 * Opens the ledger of this version for a verb. @throws InputError when another unreleased version has written the ledger; UnavailableError when Kafka
 * does not answer.
 */
export async function openLedger(options: StateDirOption): Promise<KafkaConnection> {
  const connection = connectLedger(options);
  await requireOwnLedger(connection);
  return connection;
}

export interface ReadLedgerOptions {
  /** The end offset in each partition. The default is the present end of the partition. */
  to?: Offsets;
  /** Receives every record, also an unreadable record, before it is decoded. */
  onRecord?: (record: LedgerRecord) => void;
}

/**
 * Reads the whole ledger from Kafka, each partition in order. Returns the number of unreadable records. @throws NewerRecordError at a record of a
 * newer version, because results without this record would be wrong.
 */
export async function readLedger(
  connection: KafkaConnection,
  visit: (event: LedgerEvent, record: LedgerRecord) => void,
  { to, onRecord }: ReadLedgerOptions = {},
): Promise<number> {
  let unreadable = 0;
  // Decodes a record and passes its event to `visit`; counts the record if it is unreadable.
  const read = (record: LedgerRecord): void => {
    onRecord?.(record);
    const event = readEvent(record);
    if (event === null) unreadable += 1;
    else visit(event, record);
  };
  await scan(connection, connection.topics.ledger, read, to);
  return unreadable;
}
