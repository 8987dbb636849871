import { z } from 'zod';
import { digestOf } from '../../workflows/job/record/digest.ts';
import type { EventType, JobEvent } from '../../workflows/job/events.ts';
import { JobledgerError } from './errors.ts';
import { parseExact, stringifyExact } from './exact-json.ts';
import { SUPPORTED_LEVELS } from './feature-levels.ts';

/** One record of the ledger as Kafka holds it. */
export interface EncodedEvent {
  key: string;
  value: string;
}

/** A record that cannot be read: `message` is the reason that goes to the dead-letter topic. */
export class UnreadableRecordError extends JobledgerError {
  override readonly name = 'UnreadableRecordError';
}

/**
 * A record that a newer version of this program wrote. It is whole, only not for this reader, which stops before it:
 * whatever is done without it would be wrong, and setting it aside would lose it.
 */
export class NewerRecordError extends JobledgerError {
  override readonly name = 'NewerRecordError';
}

/** Source of the wishes that API and command line record; those that a workflow was signalled have its own source. */
export const REQUESTS_SOURCE = 'jobledger/requests';

/** The same error with the place of the record, which is what an operator asks for first. */
export function newerAt(
  { partition, offset }: { partition: number; offset: bigint },
  { message }: NewerRecordError,
): NewerRecordError {
  return new NewerRecordError(`partition ${partition}, offset ${offset} of the ledger: ${message}`);
}

const PREFIX = 'dev.jobledger.';

/** One version of a type of event. It is read always, and written from a feature level on. */
export interface TypeVersion {
  level: number;
  /** What must hold for an event to be used at all; at further fields nobody looks, and they stay as they are. */
  data: z.ZodType;
  /** Gives data of the version before the shape of this one. */
  upcast?: (data: unknown) => unknown;
}

/** The versions of each type, the first one first. */
export type TypeTable = Readonly<Record<string, readonly TypeVersion[]>>;

const metadata = z.object({
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  namespace: z.string(),
});
const apiObject = z.object({ metadata });
const ofJob = { cluster: z.string(), jobUid: z.string() };

const DATA: Record<EventType, z.ZodType> = {
  'job.observed': z.object({ ...ofJob, object: apiObject }),
  'job.deleted': z.object({ ...ofJob, resourceVersion: z.string(), seen: z.boolean() }),
  'pod.observed': z.object({ ...ofJob, object: apiObject }),
  'pod.deleted': z.object({
    ...ofJob,
    podUid: z.string(),
    resourceVersion: z.string(),
    seen: z.boolean(),
  }),
  'command.received': z.object({ ...ofJob, command: z.enum(['suspend', 'resume']), by: z.string() }),
  'cluster.connected': z.object({ cluster: z.string(), uid: z.string() }),
  'cluster.gap': z.object({
    cluster: z.string(),
    resource: z.string(),
    from: z.string(),
    to: z.string(),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
  }),
  'job.decided': z.object({
    ...ofJob,
    number: z.number(),
    predecessor: z.string().nullable(),
    now: z.number(),
    folded: z.array(z.object({ id: z.string(), digest: z.string() })),
    commands: z.array(z.object({ kind: z.string() })),
  }),
  'job.folded': z.object({
    ...ofJob,
    chain: z.string(),
    number: z.number(),
    part: z.number(),
    folded: z.array(z.unknown()),
  }),
  'command.answered': z.object({
    ...ofJob,
    decision: z.string(),
    command: z.number(),
    answer: z.object({ kind: z.string() }),
  }),
};

/** Every type has one version so far: level 1 writes all there is. */
const TABLE: TypeTable = Object.fromEntries(
  Object.entries(DATA).map(([type, data]) => [type, [{ level: 1, data }]]),
);

export const EVENT_TYPES: readonly string[] = Object.keys(TABLE);

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

/** The key of an event: all events of one Job share a partition, those of a cluster have its name. */
export function keyOf(event: JobEvent): string {
  return 'jobUid' in event.data ? `${event.data.cluster}/${event.data.jobUid}` : event.data.cluster;
}

/** Gives new content its digest. */
export function sealed<E extends JobEvent>(event: Omit<E, 'digest'>): E {
  return { ...event, digest: digestOf(event.data) } as E;
}

/** One CloudEvents 1.0 event, as it is written in structured JSON. */
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

/** Reads and writes the events of one table of types. */
export interface Codec {
  /** The version in which an event of this type is written at a feature level: its data must have that shape. */
  versionToWrite(type: string, level: number): number;
  /** A record of the ledger: the event in structured JSON under its key. */
  encode(event: JobEvent, level: number): EncodedEvent;
  cloudEvent(event: JobEvent, level: number): CloudEvent;
  /** @throws UnreadableRecordError naming what is wrong, NewerRecordError when a newer program wrote it. */
  decode(text: string | null): DecodedRecord;
}

export function createCodec(table: TypeTable): Codec {
  /** Of a type that only a newer version knows, as it may stand in tables, the first one is as good as any. */
  const versionToWrite = (type: string, level: number): number =>
    Math.max(1, versionsOf(table, type).filter((each) => each.level <= level).length);
  const cloudEvent = (event: JobEvent, level: number): CloudEvent => {
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
    encode: (event, level) => ({ key: keyOf(event), value: stringifyExact(cloudEvent(event, level)) }),
    decode(text) {
      const json = parseJson(text);
      const { event, recorded } = eventIn(table, json);
      const isAsRecorded = event.data === recorded;
      return { event, recorded, dataText: isAsRecorded ? dataTextIn(text ?? '', json as object) : null };
    },
  };
}

const CODEC = createCodec(TABLE);

/** An event as it is shown: in the newest version that this program knows, which is the shape that it was read in. */
export function cloudEventOf(event: JobEvent): CloudEvent {
  return CODEC.cloudEvent(event, SUPPORTED_LEVELS.max);
}

/** A record of the ledger: the event in structured JSON under its key. `level`: what the installation is at. */
export function encodeEvent(event: JobEvent, level: number = SUPPORTED_LEVELS.max): EncodedEvent {
  return CODEC.encode(event, level);
}

/** An event of the ledger in the newest shape of its type. */
export interface DecodedRecord {
  /** Its id and its digest are those of the data as recorded. */
  event: JobEvent;
  /** The data as recorded; that of the event itself, unless it was upcast. */
  recorded: unknown;
  /** The JSON text of the event's data, if that can be cut out of the record. */
  dataText: string | null;
}

/** Reads a record back, whatever version it was written in. @throws UnreadableRecordError, NewerRecordError. */
export function decodeEvent(value: Buffer | string | null): JobEvent {
  return decodeRecord(value?.toString() ?? null).event;
}

/** The same for who stores the data on. @throws UnreadableRecordError, NewerRecordError. */
export function decodeRecord(text: string | null): DecodedRecord {
  return CODEC.decode(text);
}

function eventIn(table: TypeTable, json: unknown): { event: JobEvent; recorded: unknown } {
  const envelope = ENVELOPE.safeParse(json);
  if (!envelope.success) throw new UnreadableRecordError(`not a CloudEvent: ${problems(envelope.error)}`);
  const { id, source, subject, time, digest, data: recorded } = envelope.data;
  const { type, version, later } = versionIn(table, envelope.data.type);
  const content = version.data.safeParse(recorded);
  if (!content.success)
    throw new UnreadableRecordError(`${type} with unusable data: ${problems(content.error)}`);
  const data = later.reduce((before, { upcast }) => upcast?.(before) ?? before, recorded);
  return { event: { id, type, source, subject, time, digest, data } as unknown as JobEvent, recorded };
}

/** What `encodeEvent` writes before the data; nothing comes after it. */
const HEAD =
  /^\{"specversion":"1\.0","id":"[^"\\]*","source":"[^"\\]*","type":"[^"\\]*","subject":"[^"\\]*","time":"[^"\\]*","datacontenttype":"application\/json","digest":"[^"\\]*","data":/;
const MEMBERS = 9;

function dataTextIn(text: string, json: object): string | null {
  const head = HEAD.exec(text)?.[0];
  if (head === undefined || !text.endsWith('}') || Object.keys(json).length !== MEMBERS) return null;
  return text.slice(head.length, -1);
}

function parseJson(text: string | null): unknown {
  if (text === null) throw new UnreadableRecordError('the record is empty');
  try {
    return parseExact(text);
  } catch {
    throw new UnreadableRecordError('the record is not JSON');
  }
}

interface ReadVersion {
  type: string;
  version: TypeVersion;
  /** Those after it. */
  later: readonly TypeVersion[];
}

function versionIn(table: TypeTable, full: string): ReadVersion {
  const match = /^dev\.jobledger\.([a-z]+(?:[.-][a-z]+)*)\.v([1-9]\d*)$/.exec(full);
  if (match === null) throw new UnreadableRecordError(`"${full}" is no event type of Jobledger`);
  const [, type = '', number = ''] = match;
  const versions = versionsOf(table, type);
  if (versions.length === 0)
    throw new NewerRecordError(`${full} is not known to this version of Jobledger: start a newer one`);
  const [version, ...later] = versions.slice(Number(number) - 1);
  if (version === undefined)
    throw new NewerRecordError(
      `${full} is newer than this version of Jobledger, which reads ${type} up to version ${versions.length}: start a newer one`,
    );
  return { type, version, later };
}

function versionsOf(table: TypeTable, type: string): readonly TypeVersion[] {
  return Object.hasOwn(table, type) ? (table[type] ?? []) : [];
}

function problems(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'event'}: ${issue.message}`).join('; ');
}
