import { compareVersions } from '../../workflows/job/definitions/resource-version.ts';
import type { ClusterGap } from '../../workflows/job/events.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { withDigest } from '../adapters/event-codec.ts';
import { versionOf, type ApiObject } from '../adapters/kubernetes/watch.ts';
import type { Log } from '../adapters/log.ts';
import type { Sink } from './append.ts';
import { differencesOf, type Differences } from './differences.ts';
import type { CollectionReader } from './list-watch.ts';
import { applyChange, type LiveChange, type LiveSet, type Resource } from './live-set.ts';
import type { CountChange } from './metrics.ts';
import {
  jobDeleted,
  jobObserved,
  mayConcernJobs,
  podDeleted,
  podObserved,
  type TranslationScope,
  type Translated,
} from './translate.ts';
import { reducingAtLast, UntranslatableError } from './untranslatable.ts';

/** The translation functions of one collection. */
interface Translation<T> {
  /** False for an object of which nothing is recorded, whatever Jobs exist. */
  mayConcern(object: T): boolean;
  /** `listedAt`: the resourceVersion of the list that contained the object; absent for a watch event. */
  observed(scope: TranslationScope, object: T, time: string, listedAt?: string): Translated;
  deleted(scope: TranslationScope, object: T, time: string): Translated;
  vanished(scope: TranslationScope, uid: string, resourceVersion: string, time: string): Translated;
}

interface ReaderDependencies {
  scope: TranslationScope;
  live: LiveSet;
  sink: Sink;
  count: CountChange;
  log: Log;
}

export function readerOfJobs(dependencies: ReaderDependencies): CollectionReader<Job> {
  const { live } = dependencies;
  return readerOf(dependencies, 'jobs', {
    mayConcern: () => true,
    observed: (scope, job, time) => jobObserved(scope, job, time),
    deleted: (scope, job, time) =>
      jobDeleted(scope, live, job.metadata.uid, { job, resourceVersion: job.metadata.resourceVersion, time }),
    vanished: (scope, uid, resourceVersion, time) => jobDeleted(scope, live, uid, { resourceVersion, time }),
  });
}

export function readerOfPods(dependencies: ReaderDependencies): CollectionReader<Pod> {
  const { live } = dependencies;
  return readerOf(dependencies, 'pods', {
    mayConcern: (pod) => mayConcernJobs(live, pod),
    observed: (scope, pod, time, listedAt) => podObserved(scope, live, pod, time, listedAt),
    deleted: (scope, pod, time) =>
      podDeleted(scope, live, pod.metadata.uid, { pod, resourceVersion: pod.metadata.resourceVersion, time }),
    vanished: (scope, uid, resourceVersion, time) => podDeleted(scope, live, uid, { resourceVersion, time }),
  });
}

function readerOf<T extends ApiObject>(
  { scope, live, sink, count, log }: ReaderDependencies,
  resource: Resource,
  translation: Translation<T>,
): CollectionReader<T> {
  const reduced = { ...scope, redaction: { ...scope.redaction, reduced: true } };
  const translateAtLast = reducingAtLast(log, { cluster: scope.cluster, resource });
  const put = async ({ events, changes }: Translated): Promise<void> => {
    for (const change of changes) {
      count(live, change);
      applyChange(live, change);
    }
    await sink.put({ events, changes });
  };
  const observe = async (object: T, listedAt?: string): Promise<void> =>
    put(
      translateAtLast(object, (isReduced) =>
        translation.observed(isReduced ? reduced : scope, object, now(), listedAt),
      ),
    );
  const remove = async (object: T): Promise<void> =>
    put(
      translateAtLast(object, (isReduced) => translation.deleted(isReduced ? reduced : scope, object, now())),
    );
  const reach = (resourceVersion: string): Promise<void> =>
    put({ events: [], changes: [positionAt(resource, resourceVersion)] });

  /**
   * Adds new items by ascending version, then removes what is no longer listed, so that each Job's stream stays in
   * order.
   */
  const putDifferences = async ({ resourceVersion, newer, missing }: Differences<T>): Promise<void> => {
    let failed = 0;
    for (const item of newer()) if (!(await succeeds(observe(item, resourceVersion)))) failed += 1;
    for (const uid of missing) {
      const entry = live[resource].get(uid);
      if (entry !== undefined && compareVersions(entry.resourceVersion, resourceVersion) <= 0)
        await put(translation.vanished(scope, uid, resourceVersion, now()));
    }
    if (failed > 0) throw new UntranslatableError(`${failed} of the ${resource} listed were not recorded`);
  };
  let gapBefore: string | null = null;
  return {
    compare: (pages) => differencesOf(pages, live[resource], (object) => translation.mayConcern(object)),
    async listed(all, gapFrom) {
      const since = live.positions[resource]?.time ?? now();
      // When a list is repeated because an object could not be recorded, the gap was recorded already.
      if (gapFrom !== null && gapFrom.resourceVersion !== gapBefore)
        await put(gapOf(scope, resource, { ...gapFrom, since }, all.resourceVersion));
      gapBefore = gapFrom?.resourceVersion ?? null;
      await putDifferences(all);
      await reach(all.resourceVersion);
    },
    audited: putDifferences,
    async happened(event) {
      if (event.type === 'DELETED') await remove(event.object);
      else if (event.type !== 'BOOKMARK') await observe(event.object);
      await reach(versionOf(event));
    },
  };
}

/** False when the object must be read again. */
async function succeeds(put: Promise<void>): Promise<boolean> {
  try {
    await put;
    return true;
  } catch (error) {
    if (error instanceof UntranslatableError) return false;
    throw error;
  }
}

function positionAt(of: Resource, resourceVersion: string): LiveChange {
  return { resource: 'position', of, position: { resourceVersion, time: now() } };
}

function gapOf(
  { cluster }: TranslationScope,
  resource: Resource,
  before: { resourceVersion: string; since: string; reason: string },
  to: string,
): Translated {
  const { resourceVersion: from, since, reason } = before;
  const time = now();
  const event = withDigest<ClusterGap>({
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
