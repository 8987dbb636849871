import { decodeRecord } from '../adapters/events/event-codec.ts';
import {
  newerRecordErrorAt,
  NewerRecordError,
  UnreadableRecordError,
} from '../adapters/events/unreadable-record.ts';
import type { LedgerRecord } from '../adapters/kafka/subscription.ts';
import type { DeadLetter } from '../consumers/dead-letters.ts';
import type { PositionedEvent } from './projections/events.ts';

/** The records of a partition in order, each decoded to an event or a dead letter. */
export interface ReadRecords {
  events: PositionedEvent[];
  deadLetters: DeadLetter[];
  /** The first record of a newer version. Neither this record nor later records were read. */
  newer?: { offset: bigint; error: NewerRecordError };
}

/** Decodes records up to the first record of a newer version. */
export function readRecords(records: readonly LedgerRecord[]): ReadRecords {
  const read: ReadRecords = { events: [], deadLetters: [] };
  for (const record of records) {
    try {
      const text = record.value?.toString() ?? null;
      const { event: decoded, dataText, version } = decodeRecord(text);
      const event = withStorableCharacters(decoded, text ?? '');
      const { partition, offset } = record;
      read.events.push({ partition, offset, event, version, dataText: event === decoded ? dataText : null });
    } catch (error) {
      if (error instanceof NewerRecordError)
        return { ...read, newer: { offset: record.offset, error: newerRecordErrorAt(record, error) } };
      if (!(error instanceof UnreadableRecordError)) throw error;
      read.deadLetters.push({ record, reason: error.message });
    }
  }
  return read;
}

/** The JSON escapes of characters that Postgres cannot store in text or jsonb: U+0000 and unpaired surrogates. */
const SUSPECT = /\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

/**
 * Replaces characters that Postgres cannot store by U+FFFD. The ledger keeps such characters, which the termination
 * message of a container may contain, and the digest remains the digest in the ledger. `text` is the event's JSON, in
 * which such characters are always escaped.
 */
function withStorableCharacters<T>(event: T, text: string): T {
  return text.includes(String.raw`\u`) && SUSPECT.test(text) ? (withStorableTexts(event) as T) : event;
}

/** The value with storable characters in all its texts and names. */
function withStorableTexts(value: unknown): unknown {
  if (typeof value === 'string') return replaceUnstorable(value);
  if (Array.isArray(value)) return value.map(withStorableTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [replaceUnstorable(key), withStorableTexts(part)]),
  );
}

function replaceUnstorable(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD').replaceAll('\u0000', '\uFFFD');
}
