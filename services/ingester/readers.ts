import { compareVersions } from '../../workflows/ledger/resource-version.ts';
import type { ClusterGap } from '../../workflows/ledger/cluster-events.ts';
import type { CronJob, Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { withDigest } from '../adapters/events/event-codec.ts';
import { eventVersion, type ApiObject } from '../adapters/kubernetes/watch.ts';
import type { Log } from '../adapters/process/log.ts';
import { namespaceIn, shardIn, watchName, type Part } from '../shards/watch-names.ts';
import type { Sink } from './append.ts';
import { findDifferences, type Differences } from './watch/differences.ts';
import type { CollectionReader } from './watch/list-watch.ts';
import {
  applyChange,
  type ListCompared,
  type LiveSet,
  type ObjectVersion,
  type Resource,
  type WatchPosition,
} from './live-set/live-set.ts';
import { controllingJob, mayConcernJobs } from './translate/jobs-of-pod.ts';
import type { CountChange } from './metrics.ts';
import {
  epochSuffix,
  epochField,
  translateJobDeletion,
  translateJob,
  translatePodDeletion,
  translatePod,
  type TranslationScope,
  type AnyTranslated,
} from './translate/translate.ts';
import { addAwaitedJobs } from './translate/translate-awaited.ts';
import {
  translateCronJobDeletion,
  translateCronJob,
  addChildDeleted,
  addChildObserved,
} from './translate/translate-cron-job.ts';
import { addMemberDeleted, addMemberObserved } from './translate/translate-placed.ts';
import { createFaultTolerantTranslator, UntranslatableError } from './translate/untranslatable.ts';

/** The translation functions of one collection. */
interface Translation<T> {
  /** False if the object is never recorded, whatever Jobs exist. */
  mayConcern(object: T): boolean;
  /** True if every version of the object is recorded, whatever Jobs exist. */
  isAlwaysRecorded(object: T): boolean;
  /** `listedAt` is the resourceVersion of the list that contained the object; absent for a watch event. */
  observed(scope: TranslationScope, object: T, time: string, listedAt?: string): AnyTranslated;
  deleted(scope: TranslationScope, object: T, time: string): AnyTranslated;
  vanished(scope: TranslationScope, uid: string, resourceVersion: string, time: string): AnyTranslated;
}

export interface ReaderDependencies {
  scope: TranslationScope;
  live: LiveSet;
  sink: Sink;
  count: CountChange;
  log: Log;
  /** Called for each version of an object that is not recorded. */
  onNotRecorded: (resource: Resource) => void;
  /** The part of the cluster to read. */
  part?: Part;
}

/** The reason of a gap that a periodic list found. */
const MISSED = 'the periodic list found changes that the watch had not reported';

export function readerOfJobs(dependencies: ReaderDependencies): CollectionReader<Job> {
  const { live } = dependencies;
  const translateDeletion = (
    scope: TranslationScope,
    uid: string,
    at: { job?: Job; resourceVersion: string; time: string },
  ): AnyTranslated => {
    const translated = addChildDeleted(scope, live, uid, translateJobDeletion(scope, live, uid, at), at);
    return addAwaitedJobs(scope, live, addMemberDeleted(scope, live, uid, translated, at), at);
  };
  return createReader(dependencies, 'jobs', {
    mayConcern: () => true,
    isAlwaysRecorded: () => true,
    observed: (scope, job, time, listedAt) =>
      addAwaitedJobs(
        scope,
        live,
        addMemberObserved(
          scope,
          live,
          job,
          addChildObserved(scope, live, job, translateJob(scope, job, time), { time, listedAt }),
          time,
        ),
        { time, resourceVersion: job.metadata.resourceVersion },
      ),
    deleted: (scope, job, time) => {
      const { uid, resourceVersion } = job.metadata;
      return translateDeletion(scope, uid, { job, resourceVersion, time });
    },
    vanished: (scope, uid, resourceVersion, time) => translateDeletion(scope, uid, { resourceVersion, time }),
  });
}

export function readerOfCronJobs(dependencies: ReaderDependencies): CollectionReader<CronJob> {
  const { live } = dependencies;
  return createReader(dependencies, 'cronjobs', {
    mayConcern: () => true,
    isAlwaysRecorded: () => true,
    observed: (scope, cronJob, time) => translateCronJob(scope, cronJob, time),
    deleted: (scope, cronJob, time) => {
      const { uid, resourceVersion } = cronJob.metadata;
      return translateCronJobDeletion(scope, live, uid, { cronJob, resourceVersion, time });
    },
    vanished: (scope, uid, resourceVersion, time) =>
      translateCronJobDeletion(scope, live, uid, { resourceVersion, time }),
  });
}

export function readerOfPods(dependencies: ReaderDependencies): CollectionReader<Pod> {
  const { live } = dependencies;
  return createReader(dependencies, 'pods', {
    mayConcern: (pod) => mayConcernJobs(live, pod),
    isAlwaysRecorded: (pod) => live.pods.has(pod.metadata.uid) || controllingJob(live, pod) !== undefined,
    observed: (scope, pod, time, listedAt) => translatePod(scope, live, pod, time, listedAt),
    deleted: (scope, pod, time) =>
      translatePodDeletion(scope, live, pod.metadata.uid, {
        pod,
        resourceVersion: pod.metadata.resourceVersion,
        time,
      }),
    vanished: (scope, uid, resourceVersion, time) =>
      translatePodDeletion(scope, live, uid, { resourceVersion, time }),
  });
}

function createReader<T extends ApiObject>(
  { scope, live, sink, count, log, onNotRecorded, part }: ReaderDependencies,
  resource: Resource,
  translation: Translation<T>,
): CollectionReader<T> {
  const reduced = { ...scope, redaction: { ...scope.redaction, reduced: true } };
  const translateAtLast = createFaultTolerantTranslator(
    { log, onNotRecorded: () => onNotRecorded(resource) },
    { cluster: scope.cluster, resource },
  );
  const applyAndSend = async ({ events, changes }: AnyTranslated): Promise<void> => {
    for (const change of changes) {
      count(live, change);
      applyChange(live, change);
    }
    await sink.put({ events, changes });
  };
  const translateObserved = (object: T, listedAt?: string): AnyTranslated =>
    translateAtLast(object, (isReduced) =>
      translation.observed(isReduced ? reduced : scope, object, now(), listedAt),
    );
  const remove = async (object: T): Promise<void> =>
    applyAndSend(
      translateAtLast(object, (isReduced) => translation.deleted(isReduced ? reduced : scope, object, now())),
    );
  const name = watchName(resource, part);
  const watched = { cluster: scope.cluster, resource, part };
  const startedAt = live.positions[name];
  const recordPosition = (position: WatchPosition): Promise<void> =>
    applyAndSend({
      events: [],
      changes: [{ resource: 'position', of: name, position: { ...position, ...epochField(scope) } }],
    });

  /**
   * Adds new items by ascending version, then removes the items that are missing in the list, so that the stream of
   * each Job stays in order. `beforeMissed` is called before each change that the watch should have reported.
   */
  const putDifferences = async (
    { resourceVersion, newer, missing }: Differences<T>,
    beforeMissed: () => Promise<void> = async () => undefined,
  ): Promise<void> => {
    let failed = 0;
    for (const item of newer()) {
      const isMissed = translation.isAlwaysRecorded(item);
      const translated = nullIfUntranslatable(() => translateObserved(item, resourceVersion));
      if (translated === null) failed += 1;
      else {
        if (isMissed && translated.events.length > 0) await beforeMissed();
        await applyAndSend(translated);
      }
    }
    for (const uid of missing) {
      const entry = live[resource].get(uid);
      if (entry === undefined || compareVersions(entry.resourceVersion, resourceVersion) > 0) continue;
      await beforeMissed();
      await applyAndSend(translation.vanished(scope, uid, resourceVersion, now()));
    }
    if (failed > 0) throw new UntranslatableError(`${failed} of the listed ${resource} were not recorded`);
  };
  let gapBefore: string | null = null;
  return {
    compare: (pages) =>
      findDifferences(pages, live[resource], {
        namespace: namespaceIn(name),
        mayConcern: (object) => translation.mayConcern(object),
      }),
    async listed(all, gapFrom) {
      const since = live.positions[name]?.time ?? now();
      // If a list is repeated because an object could not be recorded, the gap has already been recorded.
      if (gapFrom !== null && gapFrom.resourceVersion !== gapBefore)
        await applyAndSend(gapEvent(scope, watched, { ...gapFrom, since }, all.resourceVersion));
      gapBefore = gapFrom?.resourceVersion ?? null;
      await putDifferences(all);
      const [time, compared] = [now(), { resourceVersion: all.firstVersion, time: now() }];
      await recordPosition({ resourceVersion: all.resourceVersion, time, compared });
    },
    async audited(all) {
      const to = all.resourceVersion;
      let gapFrom: ListCompared | undefined = live.positions[name]?.compared ?? startedAt;
      await putDifferences(all, async () => {
        if (gapFrom === undefined) return;
        const { resourceVersion, time: since } = gapFrom;
        gapFrom = undefined;
        log.warn({ ...watched, from: resourceVersion, to }, MISSED);
        await applyAndSend(gapEvent(scope, watched, { resourceVersion, since, reason: MISSED }, to));
      });
      const position = live.positions[name];
      if (position !== undefined)
        await recordPosition({ ...position, compared: { resourceVersion: to, time: now() } });
    },
    async happened(event) {
      if (event.type === 'DELETED') await remove(event.object);
      else if ('object' in event) await applyAndSend(translateObserved(event.object));
      const deleted = event.type === 'DELETED' ? { deleted: toObjectVersion(event.object) } : {};
      const reached = { resourceVersion: eventVersion(event), time: now(), ...deleted };
      await recordPosition({ ...live.positions[name], ...reached });
    },
  };
}

function toObjectVersion({
  metadata: { namespace = '', name, uid, resourceVersion },
}: ApiObject): ObjectVersion {
  return { namespace, name, uid, resourceVersion };
}

/** The translation of an object; null when the object must be read again. */
function nullIfUntranslatable(translate: () => AnyTranslated): AnyTranslated | null {
  try {
    return translate();
  } catch (error) {
    if (error instanceof UntranslatableError) return null;
    throw error;
  }
}

/** The event about a gap in the observations of a watch. */
function gapEvent(
  scope: TranslationScope,
  { cluster, resource, part }: { cluster: string; resource: Resource; part: Part },
  before: { resourceVersion: string; since: string; reason: string },
  to: string,
): AnyTranslated {
  const { resourceVersion: from, since } = before;
  const time = now();
  const watch = watchName(resource, part);
  const namespace = namespaceIn(watch);
  const shard = shardIn(part);
  const where = namespace === undefined ? [] : [`namespace ${namespace}`];
  const ofShard = shard === null || shard.of === 1 ? [] : [`shard ${shard.index} of ${shard.of}`];
  const event = withDigest<ClusterGap>({
    id: `${cluster}/gap/${watch}/${from}/${to}${epochSuffix(scope)}`,
    type: 'cluster.gap',
    source: cluster,
    subject: cluster,
    time,
    data: {
      cluster,
      resource,
      ...(namespace !== undefined && { namespace }),
      from,
      to,
      since,
      until: time,
      reason: [...where, ...ofShard, before.reason].join(': '),
    },
  });
  return { events: [event], changes: [] };
}

function now(): string {
  return new Date().toISOString();
}
