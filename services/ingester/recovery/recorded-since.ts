import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { decodeEvent } from '../../adapters/events/event-codec.ts';
import { NewerRecordError, UnreadableRecordError } from '../../adapters/events/unreadable-record.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { readExtents, offsetsAt, readBetween } from '../../adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../adapters/kafka/subscription.ts';

/**
 * Producers set the time of a record by their own clocks, which are assumed to differ by at most this time, in
 * milliseconds.
 */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Visits every event of a cluster that was sent at `since` (milliseconds) or later, up to the present end of the
 * ledger, and some that were sent up to a minute earlier. The events of one stream are visited in order. A record that
 * this version cannot read is skipped: the list that follows records its object again. @throws UnavailableError, or the
 * reason of `signal` when it is aborted.
 */
export async function visitRecordedSince(
  kafka: KafkaConnection,
  { cluster, since, signal }: { cluster: string; since: number; signal?: AbortSignal },
  visit: (event: LedgerEvent) => void,
): Promise<void> {
  const { ledger } = kafka.topics;
  const extents = await readExtents(kafka, ledger);
  const to = new Map([...extents].map(([partition, { end }]) => [partition, end]));
  const from = await offsetsAt(kafka, ledger, since - CLOCKS_DIFFER_MS);
  const onRecords = async (records: readonly LedgerRecord[]): Promise<void> => {
    for (const { key, value } of records) {
      // Only the events of the cluster are decoded. The name of another cluster may begin with `<cluster>/`.
      const event = key.startsWith(`${cluster}/`) ? decodeReadableEvent(value) : null;
      if (event?.data.cluster === cluster) visit(event);
    }
  };
  await readBetween(kafka, ledger, { from, to }, onRecords, signal === undefined ? {} : { signal });
}

/** Decodes an event; returns null for a record that this version cannot read. */
function decodeReadableEvent(value: Buffer | null): LedgerEvent | null {
  try {
    return decodeEvent(value);
  } catch (error) {
    if (error instanceof NewerRecordError || error instanceof UnreadableRecordError) return null;
    throw error;
  }
}
