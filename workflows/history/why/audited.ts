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
 * Returns the ids of the audited requests from which an observation came. Only what a record proves counts: a creation by the UID, a
 * change by the version that the request wrote, a deletion by that version or by its being done at once. A request that changed nothing
 * gets the version of an earlier change in its response, so of several the first counts, and none that came after the observation.
 */
export function auditedIn(events: readonly JobEvent[]): (event: JobEvent) => string[] {
  const requests = new Map<string, ApiRequestAudited[]>();
  const versions = new Map<string, number>();
  const firstSeen = new Map<string, Seen>();
  const firstGoing = new Map<string, Seen>();
  for (const event of events) {
    if (event.type === 'api-request.audited') {
      const { uid } = event.data;
      requests.set(uid, [...(requests.get(uid) ?? []), event]);
    }
    if (!isSeen(event)) continue;
    const uid = seenUid(event);
    if (!firstSeen.has(uid)) firstSeen.set(uid, event);
    if (isGoing(event) && !firstGoing.has(uid)) firstGoing.set(uid, event);
    const version = `${uid} ${seenVersion(event)}`;
    if (event.type.endsWith('.observed')) versions.set(version, (versions.get(version) ?? 0) + 1);
  }
  if (requests.size === 0) return () => [];
  return (event) => {
    if (!isSeen(event)) return [];
    const uid = seenUid(event);
    const ofObject = requests.get(uid) ?? [];
    const found: (ApiRequestAudited | undefined)[] = [];
    if (firstSeen.get(uid) === event) found.push(ofObject.find(({ data }) => data.verb === 'create'));
    const going = isGoing(event) ? firstGoing.get(uid) : undefined;
    if (going !== undefined) found.push(deletionBehind(ofObject, going));
    // After a restore, an API server gives a version to other content.
    if (versions.get(`${uid} ${seenVersion(event)}`) === 1) found.push(changeBehind(ofObject, event));
    return [...new Set(found.flatMap((request) => request?.id ?? []))];
  };
}

function changeBehind(requests: readonly ApiRequestAudited[], seen: Seen): ApiRequestAudited | undefined {
  if (!seen.type.endsWith('.observed')) return undefined;
  return firstBefore(
    seen,
    requests.filter(({ data }) => data.resourceVersion === seenVersion(seen)),
  );
}

/** `seen`: the first event that shows the deletion. */
function deletionBehind(requests: readonly ApiRequestAudited[], seen: Seen): ApiRequestAudited | undefined {
  const deletions = requests.filter(({ data: { verb, resourceVersion } }) => {
    if (verb !== 'delete' && verb !== 'deletecollection') return false;
    return resourceVersion === undefined || resourceVersion === seenVersion(seen);
  });
  return firstBefore(seen, deletions);
}

function firstBefore(seen: Seen, requests: readonly ApiRequestAudited[]): ApiRequestAudited | undefined {
  return requests
    .filter(({ data }) => data.receivedAt <= seen.time)
    .toSorted((a, b) => (a.data.receivedAt < b.data.receivedAt ? -1 : 1))[0];
}

function isSeen(event: JobEvent): event is Seen {
  return (
    event.type === 'job.observed' ||
    event.type === 'job.deleted' ||
    event.type === 'pod.observed' ||
    event.type === 'pod.deleted'
  );
}

function isGoing(event: Seen): boolean {
  if (event.type === 'job.deleted' || event.type === 'pod.deleted') return true;
  return event.data.object.metadata.deletionTimestamp !== undefined;
}

function seenUid({ type, data }: Seen): string {
  if (type === 'job.observed' || type === 'job.deleted') return data.jobUid;
  return type === 'pod.observed' ? data.object.metadata.uid : data.podUid;
}

function seenVersion({ type, data }: Seen): string {
  return type === 'job.observed' || type === 'pod.observed'
    ? data.object.metadata.resourceVersion
    : data.resourceVersion;
}
