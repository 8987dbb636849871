import type {
  ApiRequestAudited,
  JobDeleted,
  JobEvent,
  JobObserved,
  PodDeleted,
  PodObserved,
} from '../../job/events.ts';

type Seen = JobObserved | JobDeleted | PodObserved | PodDeleted;

/**
 * Returns the ids of the audited requests that led to an observation. Only a record counts as proof: the UID proves a
 * creation, the version that the request wrote proves a change, and this version or the immediate effect proves a
 * deletion. A request that changed nothing gets the version of an earlier change in its response, so the first of
 * several requests counts, and a request after the observation never counts.
 */
export function auditedIn(events: readonly JobEvent[]): (event: JobEvent) => string[] {
  const created = new Map<string, ApiRequestAudited>();
  const [changed, deleted] = [new Map<string, ApiRequestAudited>(), new Map<string, ApiRequestAudited>()];
  const versions = new Map<string, number>();
  const firstSeen = new Map<string, Seen>();
  const firstGoing = new Map<string, Seen>();
  for (const event of events) {
    if (event.type === 'api-request.audited') {
      const { uid, verb, resourceVersion } = event.data;
      if (verb === 'create' && !created.has(uid)) created.set(uid, event);
      if (resourceVersion !== undefined) keepFirst(changed, `${uid} ${resourceVersion}`, event);
      if (verb === 'delete' || verb === 'deletecollection')
        keepFirst(deleted, `${uid} ${resourceVersion ?? ''}`, event);
    }
    if (!isSeen(event)) continue;
    const uid = seenUid(event);
    if (!firstSeen.has(uid)) firstSeen.set(uid, event);
    if (isGoing(event) && !firstGoing.has(uid)) firstGoing.set(uid, event);
    const version = `${uid} ${seenVersion(event)}`;
    if (event.type.endsWith('.observed')) versions.set(version, (versions.get(version) ?? 0) + 1);
  }
  return (event) => {
    if (!isSeen(event)) return [];
    const uid = seenUid(event);
    const version = `${uid} ${seenVersion(event)}`;
    const found: (ApiRequestAudited | undefined)[] = [];
    if (firstSeen.get(uid) === event) found.push(created.get(uid));
    const going = isGoing(event) ? firstGoing.get(uid) : undefined;
    if (going !== undefined)
      found.push(firstBefore(going, [deleted.get(`${uid} ${seenVersion(going)}`), deleted.get(`${uid} `)]));
    // After a restore, an API server may use a resourceVersion again for other content.
    if (event.type.endsWith('.observed') && versions.get(version) === 1)
      found.push(firstBefore(event, [changed.get(version)]));
    return [...new Set(found.flatMap((request) => request?.id ?? []))];
  };
}

/** Keeps the first received request among the requests with the same key. */
function keepFirst(requests: Map<string, ApiRequestAudited>, key: string, request: ApiRequestAudited): void {
  const before = requests.get(key);
  if (before === undefined || request.data.receivedAt < before.data.receivedAt) requests.set(key, request);
}

/** The first received request among these that precedes the observation. */
function firstBefore(
  seen: Seen,
  requests: readonly (ApiRequestAudited | undefined)[],
): ApiRequestAudited | undefined {
  return requests
    .filter((request) => request !== undefined)
    .filter(({ data }) => data.receivedAt <= seen.time)
    .toSorted((a, b) => (a.data.receivedAt < b.data.receivedAt ? -1 : 1))[0];
}

/** True for an observation or a deletion of the Job or a pod. */
function isSeen(event: JobEvent): event is Seen {
  return (
    event.type === 'job.observed' ||
    event.type === 'job.deleted' ||
    event.type === 'pod.observed' ||
    event.type === 'pod.deleted'
  );
}

/** True when the event shows an object that is deleted or is being deleted. */
function isGoing(event: Seen): boolean {
  if (event.type === 'job.deleted' || event.type === 'pod.deleted') return true;
  return event.data.object.metadata.deletionTimestamp !== undefined;
}

/** The UID of the object in the event. */
function seenUid({ type, data }: Seen): string {
  if (type === 'job.observed' || type === 'job.deleted') return data.jobUid;
  return type === 'pod.observed' ? data.object.metadata.uid : data.podUid;
}

/** The resourceVersion of the object in the event. */
function seenVersion({ type, data }: Seen): string {
  return type === 'job.observed' || type === 'pod.observed'
    ? data.object.metadata.resourceVersion
    : data.resourceVersion;
}
