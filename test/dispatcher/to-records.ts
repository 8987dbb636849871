import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';

/** The records of these events, one after the other from this offset on. */
export function toRecords(events: readonly LedgerEvent[], from = 0n, partition = 0): LedgerRecord[] {
  return events.map((event, index) => {
    const { key, value } = encodeEvent(event);
    return { partition, key, value: Buffer.from(value), offset: from + BigInt(index) };
  });
}
