import { z } from 'zod';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { plainNumbers } from '../../../workflows/ledger/plain-numbers.ts';
import { EVENT_TABLE, type TypeTable, type TypeVersion } from './event-types.ts';
import { parseExact, stringifyExact } from '../exact-json.ts';
import { SUPPORTED_LEVELS } from './feature-levels.ts';
import { UnreadableRecordError, NewerRecordError, newerRecordErrorAt } from './unreadable-record.ts';
import { typeVersions, PREFIX, readVersion, versionIn } from './type-versions.ts';
import { createHash } from 'node:crypto';
import { canonicalJson, DIGITS } from '../../../workflows/ledger/digest.ts';

/** One record of the ledger in Kafka's form. */
export interface EncodedEvent {
  key: string;
  value: string;
}

/**
 * The source of requests that the API and the command line record. Requests that signal a workflow directly have another
 * source.
 */
export const REQUESTS_SOURCE = 'jobledger/requests';

const ENVELOPE = z.object({
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string(),
  subject: z.string(),
  time: z.iso.datetime({ offset: true }),
  digest: z.string(),
  data: z.unknown(),
});

type Envelope = z.infer<typeof ENVELOPE>;

/**
 * The Kafka key of an event: `<cluster>/<uid>` with the UID of the Job or CronJob, so that all events of one stream share
 * a partition, or the cluster's name.
 */
export function eventKey({ data }: LedgerEvent): string {
  if ('jobUid' in data) return `${data.cluster}/${data.jobUid}`;
  return 'cronJobUid' in data ? `${data.cluster}/${data.cronJobUid}` : data.cluster;
}

/** Adds the digest of the data to an event. */
export function withDigest<E extends LedgerEvent>(event: Omit<E, 'digest'>): E {
  return { ...event, digest: computeDigest(event.data) } as E;
}

/** One CloudEvents 1.0 event, as written in structured JSON. */
export interface CloudEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  digest: string;
  data: unknown;
}

/** Reads and writes the events of one type table. */
interface Codec {
  /**
   * The version in which an event of this type is written at a feature level. The data must have the shape of that
   * version.
   */
  versionToWrite(type: string, level: number): number;
  /** Encodes an event as a ledger record: structured JSON and the key. */
  encode(event: LedgerEvent, level: number): EncodedEvent;
  cloudEvent(event: LedgerEvent, level: number): CloudEvent;
  /** Decodes a record. @throws UnreadableRecordError with the reason, NewerRecordError when a newer program wrote the record. */
  decode(text: string | null): DecodedRecord;
  /** The event of a row of the tables, in the newest shape of its type. @throws NewerRecordError when a newer program wrote it. */
  stored(row: StoredEvent<LedgerEvent>): LedgerEvent;
}

/** Creates the codec of a type table. */
export function createCodec(table: TypeTable): Codec {
  /** A type that only newer versions know can occur in the tables; it gets version 1. */
  const versionToWrite = (type: string, level: number): number =>
    Math.max(1, typeVersions(table, type).filter((each) => each.level <= level).length);
  const cloudEvent = (event: LedgerEvent, level: number): CloudEvent => {
    const { id, source, subject, time, digest, data } = event;
    const type = `${PREFIX}${event.type}.v${versionToWrite(event.type, level)}`;
    return {
      specversion: '1.0',
      id,
      source,
      type,
      subject,
      time,
      datacontenttype: 'application/json',
      digest,
      data,
    };
  };
  return {
    versionToWrite,
    cloudEvent,
    encode: (event, level) => ({ key: eventKey(event), value: stringifyExact(cloudEvent(event, level)) }),
    decode(text) {
      if (text === null) throw new UnreadableRecordError('the record is empty');
      const json = parseJson(text);
      const envelope = ENVELOPE.safeParse(json);
      if (!envelope.success)
        throw new UnreadableRecordError(`not a CloudEvent: ${problemsText(envelope.error)}`);
      const { exact, version, level } = eventIn(table, envelope.data);
      const event = hasExactIntegers(exact)
        ? exact
        : ({ ...exact, data: plainNumbers(exact.data) } as LedgerEvent);
      const dataText = dataTextIn(text, json as object, envelope.data);
      return { event, dataText, version, level };
    },
    stored: ({ type_version: number, ...event }) =>
      toNewestShape(event, readVersion(table, event.type, number).later),
  };
}

const CODEC = createCodec(EVENT_TABLE);

/** An event for display, in the newest version that this program knows, which is also the shape after decoding. */
export function toCloudEvent(event: LedgerEvent): CloudEvent {
  return CODEC.cloudEvent(event, SUPPORTED_LEVELS.max);
}

/**
 * Encodes an event as a ledger record: structured JSON and the key. `level` is the feature level of the installation.
 */
export function encodeEvent(event: LedgerEvent, level: number = SUPPORTED_LEVELS.max): EncodedEvent {
  return CODEC.encode(event, level);
}

/** A row of the tables of events: the event as it is recorded, and the version of its type. */
export type StoredEvent<E extends LedgerEvent> = E & { type_version: number };

/** The event of a row, in the newest shape of its type. @throws NewerRecordError. */
export function storedEvent<E extends LedgerEvent>(row: StoredEvent<E>): E {
  return CODEC.stored(row) as E;
}

/** An event of the ledger in the newest shape of its type. */
interface DecodedRecord {
  /** The event after upcasting. Its id and its digest are computed from the data as recorded. */
  event: LedgerEvent;
  /** The JSON text of the data as recorded; null when it cannot be cut out of the record. */
  dataText: string | null;
  /** The version of the event's type in which it is recorded. */
  version: number;
  /** The lowest feature level at which a record of this form may be written. */
  level: number;
}

/** Decodes a record of any version. @throws UnreadableRecordError, NewerRecordError. */
export function decodeEvent(value: Buffer | string | null): LedgerEvent {
  return decodeRecord(value?.toString() ?? null).event;
}

/** A record of a partition, with its place. */
interface PlacedRecord {
  partition: number;
  offset: bigint;
  value: Buffer | null;
}

/**
 * The event of a record; null for an unreadable record, which the projector moves to the dead letters. @throws
 * NewerRecordError with partition and offset.
 */
export function readEvent(record: PlacedRecord): LedgerEvent | null {
  try {
    return decodeEvent(record.value);
  } catch (error) {
    if (error instanceof NewerRecordError) throw newerRecordErrorAt(record, error);
    if (error instanceof UnreadableRecordError) return null;
    throw error;
  }
}

/**
 * Decodes a record as `decodeEvent` does, with the text of the data. @throws UnreadableRecordError, NewerRecordError.
 */
export function decodeRecord(text: string | null): DecodedRecord {
  return CODEC.decode(text);
}

/**
 * True for an observation, which contains the exact integers of the API server. This program writes every other event
 * with JavaScript's numbers and reads it with them: a decision contains 9223372036854776000 for 9223372036854775807
 * seconds.
 */
function hasExactIntegers({ type }: LedgerEvent): boolean {
  return type.endsWith('.observed') || type.endsWith('.deleted');
}

/** Checks the data of an envelope by its type, and converts the event to its newest shape. */
function eventIn(
  table: TypeTable,
  envelope: Envelope,
): { exact: LedgerEvent; version: number; level: number } {
  const { id, source, subject, time, digest, data: recorded } = envelope;
  const { type, number, version, later } = versionIn(table, envelope.type);
  const content = version.data.safeParse(recorded);
  if (!content.success)
    throw new UnreadableRecordError(`${type} with unusable data: ${problemsText(content.error)}`);
  const event = { id, type, source, subject, time, digest, data: recorded };
  return { exact: toNewestShape(event, later), version: number, level: version.level };
}

/** The event in its newest shape. If the newest shape differs, `recorded` is the data as recorded. */
function toNewestShape(event: object & { data: unknown }, later: readonly TypeVersion[]): LedgerEvent {
  const { data: recorded } = event;
  const data = later.reduce((before, { upcast: next }) => next?.(before) ?? before, recorded);
  return { ...event, data, ...(data === recorded ? {} : { recorded }) } as unknown as LedgerEvent;
}

/** The number of members of a record that this program wrote. */
const MEMBERS = 9;

/**
 * Cuts the text of the data out of a record, because ids and digests are computed from the data as recorded. A record
 * of this program consists of the text before the data, the data, and a closing brace. Returns null for a record in
 * another form, and for a record with escaped characters before the data.
 */
function dataTextIn(text: string, json: object, envelope: Envelope): string | null {
  const { id, source, type, subject, time, digest } = envelope;
  const before = `{"specversion":"1.0","id":"${id}","source":"${source}","type":"${type}","subject":"${subject}","time":"${time}","datacontenttype":"application/json","digest":"${digest}","data":`;
  const isOurs =
    text.slice(0, before.length) === before && text.endsWith('}') && Object.keys(json).length === MEMBERS;
  return isOurs ? text.slice(before.length, -1) : null;
}

function parseJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    throw new UnreadableRecordError('the record is not JSON');
  }
}

/** The problems of a record as one line of text. */
function problemsText(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'event'}: ${issue.message}`).join('; ');
}

/** Computes the same digest as the core's `computeDigest`, but with Node's module `crypto`, which the core cannot use. */
export function computeDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, DIGITS);
}
