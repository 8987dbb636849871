import type { ObjectInEvent, ObservedKubernetesEvent } from '../../../workflows/ledger/kubernetes-events.ts';
import { isUid } from '../../../workflows/kubernetes/uid.ts';
import { printableLine } from '../../adapters/printable.ts';
import { knownPhrasesOfEvent } from '../redaction/known-phrases.ts';
import type { EventObject, EventReference } from './event-object.ts';
import { OWN_COMPONENTS, recordedText } from './reasons.ts';

/** An Event that may be recorded, when the object that it is about is known. */
export interface ReadEvent extends Omit<ObservedKubernetesEvent, 'isLast'> {
  namespace: string;
  /** The version of the object that the Event is about, when its program read the object; undefined when not named. */
  regardingVersion?: string;
}

/** `other` means that the Event is never recorded. `unreadable` means that it would be, but lacks a usable form. */
export type ReadResult = ReadEvent | 'other' | 'unreadable';

/** The maximum length of a text, in characters. The API admits notes of 1024 bytes. */
const LONGEST_NOTE = 1024;
const LONGEST_NAME = 253;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;
const MOST_REPETITIONS = 2 ** 31 - 1;
const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;
const KINDS: Readonly<Record<string, 'Job' | 'Pod'>> = { 'v1 Pod': 'Pod', 'batch/v1 Job': 'Job' };

/** Reads an Event. The API server checks few of its fields, so each field is checked here. */
export function readEvent(event: EventObject): ReadResult {
  const { metadata, regarding, reason, type } = event;
  const text = typeof reason === 'string' ? recordedText(reason) : undefined;
  if (reason === undefined || text === undefined) return 'other';
  const kind = KINDS[`${regarding?.apiVersion ?? ''} ${regarding?.kind ?? ''}`];
  if (kind === undefined) return 'other';
  const reportedBy = nonEmpty(event.reportingController) ?? nonEmpty(event.deprecatedSource?.component) ?? '';
  if (OWN_COMPONENTS.includes(reportedBy)) return 'other';
  const { uid, name, namespace, resourceVersion } = regarding ?? {};
  const isNamed = isText(uid) && isUid(uid) && isText(name) && NAME.test(name);
  // An Event may be only about an object of its own namespace.
  if (!isNamed || namespace !== metadata.namespace) return 'unreadable';
  const related = namedObject(event.related);
  return {
    namespace,
    regarding: { kind, uid, name },
    reason,
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reportedBy: shortLine(reportedBy, LONGEST_NAME),
    ...(related !== undefined && { related }),
    note: recordedNote(text, event.note),
    count: repetitions(event),
    ...times(event),
    eventUid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    ...(isText(resourceVersion) &&
      /^\d{1,20}$/.test(resourceVersion) && { regardingVersion: resourceVersion }),
  };
}

function recordedNote(text: 'whole' | 'phrases', note: unknown): string {
  if (!isText(note)) return '';
  return text === 'phrases' ? knownPhrasesOfEvent(note) : shortLine(note, LONGEST_NOTE);
}

/** The further object of an Event; undefined when its reference has no usable form. */
function namedObject(reference: EventReference | null | undefined): ObjectInEvent | undefined {
  const { kind, name, namespace, uid } = reference ?? {};
  if (!isText(kind) || !/^[A-Za-z]{1,63}$/.test(kind) || !isText(name) || !NAME.test(name)) return undefined;
  return {
    kind,
    name,
    ...(isText(namespace) && NAME.test(namespace) && { namespace }),
    ...(isText(uid) && isUid(uid) && { uid }),
  };
}

function repetitions({ series, deprecatedCount }: EventObject): number {
  const count = series?.count ?? deprecatedCount ?? 1;
  return Number.isInteger(count) && count >= 1 ? Math.min(count, MOST_REPETITIONS) : 1;
}

/**
 * The times of the first and the latest repetition. The program writes both, so a time that is far from the time at which
 * the API server created the Event does not count.
 */
function times(event: EventObject): { firstAt: string; lastAt: string } {
  const created = isoTime(event.metadata.creationTimestamp) ?? new Date(0).toISOString();
  const createdAt = Date.parse(created);
  const first = isoTime(event.deprecatedFirstTimestamp) ?? isoTime(event.eventTime) ?? created;
  const firstAt = isBetween(first, createdAt - DAY_MS, createdAt + MINUTE_MS) ? first : created;
  const last = isoTime(event.series?.lastObservedTime) ?? isoTime(event.deprecatedLastTimestamp) ?? firstAt;
  return { firstAt, lastAt: isBetween(last, Date.parse(firstAt), createdAt + YEAR_MS) ? last : firstAt };
}

function isBetween(time: string, from: number, until: number): boolean {
  const at = Date.parse(time);
  return at >= from && at <= until;
}

/** An RFC 3339 time of the years 1970 to 9999 with milliseconds, in UTC; undefined for another value. */
function isoTime(value: unknown): string | undefined {
  if (!isText(value) || !/^\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d)$/.test(value)) return undefined;
  const at = Date.parse(value);
  return at >= 0 && at < Date.UTC(10_000, 0) ? new Date(at).toISOString() : undefined;
}

function shortLine(text: string, longest: number): string {
  const start = text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
  return printableLine(start.toWellFormed().trim());
}

function nonEmpty(value: unknown): string | undefined {
  return isText(value) && value !== '' ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
