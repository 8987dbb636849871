import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ApiRequestAudited, AuditedRequest } from '../../workflows/job/events.ts';
import { namedJob } from '../../workflows/kubernetes/controller.ts';
import type { ObjectMeta } from '../../workflows/kubernetes/objects.ts';
import { withDigest } from '../adapters/events/event-codec.ts';
import { printableLine } from '../adapters/printable.ts';
import { isUid } from '../../workflows/kubernetes/uid.ts';
import { auditRecordIn, type AuditRecord } from './audit-record.ts';
import { namedFields } from './named-fields.ts';
import { isGarbageCollector, isRecordedRequest } from './users.ts';

/** The settings for the translation of audit records of one cluster. */
export interface AuditScope {
  cluster: string;
  /** The users of Jobledger's services, whose requests are in the ledger already. */
  ownUsers: ReadonlySet<string>;
  /** The only watched namespaces; an empty list means all namespaces. */
  namespaces: readonly string[];
  /** False when the UID is known to belong to an object of another name, namespace or kind: a caller may write any owner into a pod. */
  mayExist: (job: { uid: string; namespace: string; name: string }) => boolean;
  /** The name to record instead of a user's name. */
  recordedName: (name: string) => string;
}

/**
 * What a record gives. `ignored` means that the request changed no recorded Job or pod. `unknown` means that the response
 * shows no changed object with its UID. `unreadable` means that the value is not a record of an audit log.
 */
export type AuditResult = 'recorded' | 'ignored' | 'unknown' | 'unreadable';

/** The result for one record; there are events only if it is `recorded`. */
export interface AuditTranslation {
  result: AuditResult;
  events: ApiRequestAudited[];
}

/** The verbs that change objects. */
const VERBS: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** The recorded resource of each API group. */
const RESOURCES = { batch: 'jobs', '': 'pods' } as const;

/** The maximum number of characters of a text that a caller chooses. */
const LONGEST = 256;

/**
 * The events of a record of the audit log, one for each object that the request changed. `value` is a parsed record as the API
 * server sent it, and `time` is the instant of recording in RFC 3339.
 */
export function apiRequestsIn(scope: AuditScope, value: unknown, time: string): AuditTranslation {
  const record = auditRecordIn(value);
  if (record === null) return { result: 'unreadable', events: [] };
  const resource = changedResource(record);
  if (resource === null || !isRecordedRequest(record, scope.ownUsers))
    return { result: 'ignored', events: [] };
  const objects = objectsIn(record);
  if (objects.length === 0) return { result: 'unknown', events: [] };
  const { namespaces, mayExist } = scope;
  const events = objects.flatMap((object) => {
    const job = concernedJob(resource, object);
    if (job === null || !mayExist(job)) return [];
    if (namespaces.length > 0 && !namespaces.includes(job.namespace)) return [];
    return [auditedEvent(scope, record, { resource, object, job, time })];
  });
  return { result: events.length === 0 ? 'ignored' : 'recorded', events };
}

/** The resource that the request changed, or may have changed; null for any other request. */
function changedResource(record: AuditRecord): AuditedRequest['resource'] | null {
  const { stage, verb, objectRef, responseStatus } = record;
  const code = responseStatus?.code ?? 0;
  const isDone = stage === 'ResponseComplete' && code >= 200 && code < 300;
  if (!(isDone || stage === 'Panic') || !VERBS.includes(verb) || isDryRun(record)) return null;
  if (isPresent(objectRef?.subresource)) return null;
  const group = objectRef?.apiGroup ?? '';
  const resource = group === 'batch' || group === '' ? RESOURCES[group] : undefined;
  return resource !== undefined && resource === objectRef?.resource ? resource : null;
}

/**
 * True for a request that changes nothing. The options of a deletion are in its body; without a body, and for other
 * verbs, they are in the query. API servers refuse all values except `All`.
 */
function isDryRun({ verb, requestURI, requestObject }: AuditRecord): boolean {
  const isInBody = verb.startsWith('delete') && isPresent(requestObject);
  const values = isInBody ? memberOf(requestObject, 'dryRun') : queryValues(requestURI, 'dryRun');
  return Array.isArray(values) && values.length > 0 && values.every((value) => value === 'All');
}

/** A name as API servers accept it for Jobs, pods and namespaces. */
const NAME = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,252}$/);

/** The fields that are read from the bodies. */
const OBJECT = z.object({
  metadata: z.object({
    uid: z.string(),
    name: NAME,
    namespace: NAME,
    resourceVersion: z
      .string()
      .regex(/^\d{1,20}$/)
      .optional(),
    deletionTimestamp: z.string().optional(),
    ownerReferences: z
      .array(
        z.object({
          apiVersion: z.string(),
          kind: z.string(),
          name: z.string(),
          uid: z.string(),
          controller: z.boolean().optional(),
        }),
      )
      .optional(),
  }),
});

type ChangedObject = z.infer<typeof OBJECT>['metadata'];

/**
 * The changed objects according to the response. The object reference of the record is not used, because the caller
 * writes its UID.
 */
function objectsIn(record: AuditRecord): ChangedObject[] {
  const objects = respondedObjects(record).flatMap(readObject);
  // The list is older than the deletions: another request has deleted an object that the list shows as being deleted.
  return record.verb === 'deletecollection'
    ? objects.filter(({ deletionTimestamp }) => deletionTimestamp === undefined)
    : objects;
}

/** The object of the response, every object of a list or a table, or the details of a deletion. */
function respondedObjects({ responseObject, objectRef }: AuditRecord): unknown[] {
  const [kind, details] = [memberOf(responseObject, 'kind'), memberOf(responseObject, 'details')];
  if (kind === 'Status') {
    const [uid, name] = [memberOf(details, 'uid'), memberOf(details, 'name')];
    return [{ metadata: { uid, name, namespace: objectRef?.namespace } }];
  }
  const listed = memberOf(responseObject, kind === 'Table' ? 'rows' : 'items');
  if (!Array.isArray(listed)) return [responseObject];
  return kind === 'Table' ? listed.map((row) => memberOf(row, 'object')) : listed;
}

function readObject(value: unknown): ChangedObject[] {
  const { data } = OBJECT.safeParse(value);
  return data === undefined || !isUid(data.metadata.uid) ? [] : [data.metadata];
}

/** The object itself if it is a Job, and otherwise the Job that controls the pod; null for a pod without a Job. */
function concernedJob(
  resource: AuditedRequest['resource'],
  object: ChangedObject,
): { uid: string; namespace: string; name: string } | null {
  const { uid, name, namespace } = object;
  if (resource === 'jobs') return { uid, namespace, name };
  const owner = namedJob(object as ObjectMeta);
  // API servers check only that the fields of an owner reference are not empty.
  if (owner === undefined || !isUid(owner.uid) || !NAME.safeParse(owner.name).success) return null;
  return { uid: owner.uid, namespace, name: owner.name };
}

function auditedEvent(
  { cluster, recordedName }: AuditScope,
  record: AuditRecord,
  {
    resource,
    object,
    job,
    time,
  }: {
    resource: AuditedRequest['resource'];
    object: ChangedObject;
    job: { uid: string; namespace: string; name: string };
    time: string;
  },
): ApiRequestAudited {
  const { auditID, stage, user, impersonatedUser, userAgent, verb, requestObject } = record;
  const by = recordedName(impersonatedUser?.username ?? user.username);
  const fields = verb === 'patch' ? namedFields(requestObject) : [];
  const { resourceVersion } = object;
  return withDigest<ApiRequestAudited>({
    id: `${cluster}/api-request/${object.uid}/${requestDigest([auditID, stage, record.requestReceivedTimestamp])}`,
    type: 'api-request.audited',
    source: cluster,
    subject: `${job.namespace}/${job.name}`,
    time,
    data: {
      cluster,
      jobUid: job.uid,
      resource,
      uid: object.uid,
      name: object.name,
      verb: verb as AuditedRequest['verb'],
      by: plainText(by),
      ...(isPresent(impersonatedUser) && { impersonatedBy: plainText(recordedName(user.username)) }),
      ...(isPresent(userAgent) && { userAgent: plainText(userAgent) }),
      ...(resourceVersion !== undefined && showsLaterVersion(verb, object) && { resourceVersion }),
      ...(fields.length > 0 && { fields }),
      ...(isGarbageCollector(record) && { cascade: true as const }),
      ...(stage === 'Panic' && { panicked: true as const }),
      receivedAt: new Date(record.requestReceivedTimestamp).toISOString(),
      auditId: plainText(auditID),
    },
  });
}

/** True when the response shows the object after the request; the response to an immediate deletion shows the earlier object. */
function showsLaterVersion(verb: string, { deletionTimestamp }: ChangedObject): boolean {
  return !verb.startsWith('delete') || deletionTimestamp !== undefined;
}

/**
 * The digest that identifies a request. Callers may choose the id of a request in the audit log, even the id of another
 * request, but the API server sets the time of receipt.
 */
function requestDigest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** A text that a caller chose, shortened to one line of printable characters. */
function plainText(text: string): string {
  const start = text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
  return printableLine(start.toWellFormed());
}

function isPresent<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null && value !== '';
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** The maximum number of pairs of a query: API servers ignore a query with more pairs, as Go does. */
const MOST_QUERY_PAIRS = 10_000;

/** The values of a name in the query of a URI, as API servers read it (`url.Query` of Go). */
function queryValues(uri: string, name: string): string[] {
  const [, query] = splitAt(uri, '?');
  const pairs = query.split('&');
  if (pairs.length > MOST_QUERY_PAIRS) return [];
  return pairs.flatMap((pair) => {
    const [key, value] = splitAt(pair, '=').map(tryUnescape);
    return key === name && typeof value === 'string' && !pair.includes(';') ? [value] : [];
  });
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** The unescaped text; null when an escape is broken. */
function tryUnescape(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
