import { compareVersions } from '../../workflows/job/resource-version.ts';
import type { ClusterGap } from '../../workflows/job/events.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { sealed } from '../adapters/event-codec.ts';
import type { ApiList, ApiObject, WatchEvent } from '../adapters/kubernetes/watch.ts';
import type { Sink } from './append.ts';
import type { Reader } from './list-watch.ts';
import { applyChange, type LiveSet, type Resource } from './live-set.ts';
import type { CountChange } from './metrics.ts';
import {
  jobDeleted,
  jobObserved,
  podDeleted,
  podObserved,
  type Scope,
  type Translated,
} from './translate.ts';

/** How one collection is translated. */
interface Translation<T> {
  resource: Resource;
  observed(object: T, time: string): Translated;
  deleted(object: T, time: string): Translated;
  vanished(uid: string, resourceVersion: string, time: string): Translated;
}

export function readerOfJobs(scope: Scope, live: LiveSet, sink: Sink, count: CountChange): Reader<Job> {
  return readerOf(scope, live, sink, count, {
    resource: 'jobs',
    observed: (job, time) => jobObserved(scope, job, time),
    deleted: (job, time) =>
      jobDeleted(scope, live, job.metadata.uid, { job, resourceVersion: job.metadata.resourceVersion, time }),
    vanished: (uid, resourceVersion, time) => jobDeleted(scope, live, uid, { resourceVersion, time }),
  });
}

export function readerOfPods(scope: Scope, live: LiveSet, sink: Sink, count: CountChange): Reader<Pod> {
  return readerOf(scope, live, sink, count, {
    resource: 'pods',
    observed: (pod, time) => podObserved(scope, live, pod, time),
    deleted: (pod, time) =>
      podDeleted(scope, live, pod.metadata.uid, { pod, resourceVersion: pod.metadata.resourceVersion, time }),
    vanished: (uid, resourceVersion, time) => podDeleted(scope, live, uid, { resourceVersion, time }),
  });
}

function readerOf<T extends ApiObject>(
  scope: Scope,
  live: LiveSet,
  sink: Sink,
  count: CountChange,
  translation: Translation<T>,
): Reader<T> {
  const { resource } = translation;
  const put = async (translated: Translated, position?: string): Promise<void> => {
    const changes = [
      ...translated.changes,
      ...(position === undefined
        ? []
        : [
            {
              resource: 'position' as const,
              of: resource,
              position: { resourceVersion: position, time: now() },
            },
          ]),
    ];
    for (const change of changes) {
      count(live, change);
      applyChange(live, change);
    }
    await sink.put({ events: translated.events, changes });
  };
  /** Items in ascending version, then what left the live set: with it the stream of each Job stays in order. */
  const putDifferences = async (all: ApiList<T>): Promise<number> => {
    const { resourceVersion } = all.metadata;
    const items = all.items.toSorted((a, b) =>
      compareVersions(a.metadata.resourceVersion, b.metadata.resourceVersion),
    );
    const missed = items.filter((item) => isNewer(live, resource, item));
    for (const item of missed) await put(translation.observed(item, now()));
    const listed = new Set(items.map((item) => item.metadata.uid));
    const gone = [...live[resource]].filter(
      ([uid, entry]) => !listed.has(uid) && compareVersions(entry.resourceVersion, resourceVersion) <= 0,
    );
    for (const [uid] of gone) await put(translation.vanished(uid, resourceVersion, now()));
    return missed.length + gone.length;
  };
  return {
    async listed(all, gapFrom) {
      const since = live.positions[resource]?.time ?? now();
      if (gapFrom !== null)
        await put(gapOf(scope, resource, { ...gapFrom, since }, all.metadata.resourceVersion));
      await putDifferences(all);
      await put({ events: [], changes: [] }, all.metadata.resourceVersion);
    },
    async audited(all) {
      await putDifferences(all);
    },
    happened: (event) => put(...happening(translation, event)),
  };
}

function happening<T extends ApiObject>(
  translation: Translation<T>,
  event: WatchEvent<T>,
): [Translated, string] {
  if (event.type === 'BOOKMARK') return [{ events: [], changes: [] }, event.resourceVersion];
  const { resourceVersion } = event.object.metadata;
  const translate = event.type === 'DELETED' ? translation.deleted : translation.observed;
  return [translate(event.object, now()), resourceVersion];
}

function isNewer(live: LiveSet, resource: Resource, { metadata }: ApiObject): boolean {
  const known = live[resource].get(metadata.uid);
  return known === undefined || compareVersions(known.resourceVersion, metadata.resourceVersion) < 0;
}

function gapOf(
  { cluster }: Scope,
  resource: Resource,
  before: { resourceVersion: string; since: string; reason: string },
  to: string,
): Translated {
  const { resourceVersion: from, since, reason } = before;
  const time = now();
  const event = sealed<ClusterGap>({
    id: `${cluster}/gap/${resource}/${from}/${to}`,
    type: 'cluster.gap',
    source: cluster,
    subject: cluster,
    time,
    data: { cluster, resource, from, to, since, until: time, reason },
  });
  return { events: [event], changes: [] };
}

function now(): string {
  return new Date().toISOString();
}
