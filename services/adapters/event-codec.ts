import { z } from 'zod';
import { digestOf } from '../../workflows/job/digest.ts';
import type { EventType, JobEvent } from '../../workflows/job/events.ts';
import { JobledgerError } from './errors.ts';

/** One record of the ledger as Kafka holds it. */
export interface EncodedEvent {
  key: string;
  value: string;
}

/** A record that cannot be read: `message` is the reason that goes to the dead-letter topic. */
export class UnreadableRecordError extends JobledgerError {
  override readonly name = 'UnreadableRecordError';
}

const PREFIX = 'dev.jobledger.';

/** The version of each event type that this program writes, and therefore can read. */
const VERSIONS: Record<EventType, number> = {
  'job.observed': 1,
  'job.deleted': 1,
  'pod.observed': 1,
  'pod.deleted': 1,
  'command.received': 1,
  'cluster.connected': 1,
  'cluster.gap': 1,
  'job.decided': 1,
  'job.folded': 1,
  'command.answered': 1,
};

export const EVENT_TYPES: readonly string[] = Object.keys(VERSIONS);

const metadata = z.object({
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  namespace: z.string(),
});
const apiObject = z.object({ metadata });
const ofJob = { cluster: z.string(), jobUid: z.string() };

/** What must hold for an event to be used at all; at further fields nobody looks, and they stay as they are. */
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

export function cloudEventOf(event: JobEvent): CloudEvent {
  const { id, source, subject, time, digest, data } = event;
  const type = `${PREFIX}${event.type}.v${VERSIONS[event.type]}`;
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
}

/** A record of the ledger: the event in structured JSON under its key. */
export function encodeEvent(event: JobEvent): EncodedEvent {
  return { key: keyOf(event), value: JSON.stringify(cloudEventOf(event)) };
}

/** An event of the ledger, and the JSON text of its data if that can be cut out of the record. */
export interface DecodedRecord {
  event: JobEvent;
  dataText: string | null;
}

/**
 * Reads a record back, whatever version it was written in (older versions are upcast here, once there are any).
 * @throws UnreadableRecordError naming what is wrong.
 */
export function decodeEvent(value: Buffer | string | null): JobEvent {
  return eventIn(parseJson(value?.toString() ?? null));
}

/** The same for who stores the data on. @throws UnreadableRecordError naming what is wrong. */
export function decodeRecord(text: string | null): DecodedRecord {
  const json = parseJson(text);
  return { event: eventIn(json), dataText: dataTextIn(text ?? '', json as object) };
}

function eventIn(json: unknown): JobEvent {
  const envelope = ENVELOPE.safeParse(json);
  if (!envelope.success) throw new UnreadableRecordError(`not a CloudEvent: ${problems(envelope.error)}`);
  const { id, source, subject, time, digest, data } = envelope.data;
  const type = typeOf(envelope.data.type);
  const content = DATA[type].safeParse(data);
  if (!content.success)
    throw new UnreadableRecordError(`${type} with unusable data: ${problems(content.error)}`);
  return { id, type, source, subject, time, digest, data } as unknown as JobEvent;
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
    return JSON.parse(text);
  } catch {
    throw new UnreadableRecordError('the record is not JSON');
  }
}

function typeOf(full: string): EventType {
  const match = /^dev\.jobledger\.(.+)\.v(\d+)$/.exec(full);
  const type = match?.[1] ?? '';
  if (!isEventType(type)) throw new UnreadableRecordError(`unknown event type "${full}"`);
  if (Number(match?.[2]) !== VERSIONS[type]) {
    throw new UnreadableRecordError(
      `${type} in version ${match?.[2]}; this program reads version ${VERSIONS[type]}`,
    );
  }
  return type;
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(VERSIONS, type);
}

function problems(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'event'}: ${issue.message}`).join('; ');
}
