import type { ClusterGap } from '../../../workflows/ledger/cluster-events.ts';
import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import type { CronJob, Job, Pod } from '../../../workflows/kubernetes/objects.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';
import {
  eventVersion,
  type ApiList,
  type ApiObject,
  type WatchEvent,
} from '../../adapters/kubernetes/watch.ts';
import type { Log } from '../../adapters/process/log.ts';
import { namespaceIn, shardIn, watchName, type Part } from '../../shards/watch-names.ts';
import type { AppendQueue } from '../append/append-queue.ts';
import {
  applyChange,
  type ListCompared,
  type LiveSet,
  type ObjectVersion,
  type Resource,
  type WatchPosition,
} from '../live-set/live-set.ts';
import type { CountChange } from '../metrics/changes.ts';
import {
  translationOfCronJobs,
  translationOfJobs,
  translationOfPods,
  type Translation,
} from '../translate/collections.ts';
import { UntranslatableError } from '../translate/errors.ts';
import { createFaultTolerantTranslator } from '../translate/fault-tolerant.ts';
import {
  epochField,
  epochSuffix,
  type AnyTranslated,
  type TranslationScope,
} from '../translate/translate.ts';
import { findDifferences, type Differences } from './differences.ts';

/**
 * Records what lists and the watch of one collection show: translates the objects, changes the live set, and sends the
 * translations to Kafka. The functions are called in order.
 */
export interface CollectionReader<T> {
  /** Compares a list with the known objects, page by page. */
  compare(pages: AsyncIterable<ApiList<T>>): Promise<Differences<T>>;
  /** Handles a list before the watch starts. The events after `gapFrom` may be missing. */
  listed(list: Differences<T>, gapFrom: { resourceVersion: string; reason: string } | null): Promise<void>;
  /** Handles an event of the watch, or a bookmark; resolves when there is room for another translation. */
  happened(event: WatchEvent<T>): Promise<void>;
  /**
   * Handles a list that was taken while the watch ran, when the watch has reached the version of the list. The watch
   * has missed every difference.
   */
  audited(list: Differences<T>): Promise<void>;
}

export interface ReaderDependencies {
  scope: TranslationScope;
  live: LiveSet;
  queue: AppendQueue;
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
  return createReader(dependencies, 'jobs', translationOfJobs(dependencies.live));
}

export function readerOfCronJobs(dependencies: ReaderDependencies): CollectionReader<CronJob> {
  return createReader(dependencies, 'cronjobs', translationOfCronJobs(dependencies.live));
}

export function readerOfPods(dependencies: ReaderDependencies): CollectionReader<Pod> {
  return createReader(dependencies, 'pods', translationOfPods(dependencies.live));
}

function createReader<T extends ApiObject>(
  { scope, live, queue, count, log, onNotRecorded, part }: ReaderDependencies,
  resource: Resource,
  translation: Translation<T>,
): CollectionReader<T> {
  const translator = createFaultTolerantTranslator(translation, scope, {
    resource,
    log,
    onNotRecorded: () => onNotRecorded(resource),
  });
  const applyAndSend = async ({ events, changes }: AnyTranslated): Promise<void> => {
    for (const change of changes) {
      count(live, change);
      applyChange(live, change);
    }
    await queue.put({ events, changes });
  };
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
      const translated = nullIfUntranslatable(() => translator.observed(item, resourceVersion));
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
      if (event.type === 'DELETED') await applyAndSend(translator.deleted(event.object));
      else if ('object' in event) await applyAndSend(translator.observed(event.object));
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
