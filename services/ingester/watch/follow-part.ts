import type { CronJob, Job, Pod } from '../../../workflows/kubernetes/objects.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { collectionPath } from '../../adapters/kubernetes/collection-path.ts';
import type { Refusals } from '../../adapters/kubernetes/refusals.ts';
import type { ApiObject } from '../../adapters/kubernetes/watch.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { InTurn } from '../../adapters/waiting/turns.ts';
import { hasNamespace } from '../../shards/shards.ts';
import { namespaceIn, shardIn, watchName, type Part } from '../../shards/watch-names.ts';
import type { History, ReachedVersion } from '../epochs/version-check.ts';
import type { Resource } from '../live-set/live-set.ts';
import type { WatchMetrics } from '../metrics/watches.ts';
import type { Recover } from '../recovery/recover-from-ledger.ts';
import type { Setting, Watched } from '../terms/earlier-terms.ts';
import {
  readerOfCronJobs,
  readerOfJobs,
  readerOfPods,
  type CollectionReader,
  type ReaderDependencies,
} from './collection-reader.ts';
import { findLatestVersions, objectsToCompare } from './differences.ts';
import { listWatch } from './list-watch.ts';

/** The shared state of a cluster's watches while this process leads. */
export interface SharedWatchState {
  client: KubernetesClient;
  log: Log;
  reading: ReaderDependencies;
  refusals: Refusals;
  watches: WatchMetrics;
  recover: Recover;
  /** Limits the lists that run at the same time, so that many namespaces need no more memory than one namespace. */
  inTurn: InTurn;
  /** Records the setting under which a part was listed, after everything that was read before. */
  remember(setting: Setting, part: Part, value: unknown): Promise<void>;
  /** Checks whether the API server was restored from an older copy. */
  checkVersion: (reached: ReachedVersion) => Promise<History>;
  auditMs: number;
  signal: AbortSignal;
}

/** The number of recently recorded objects that are compared before a watch opens. */
const LATEST = 5;
const WIDER = 'the whole cluster is watched from now on';

/**
 * Follows the objects of a part of a cluster until the term ends. CronJobs are listed before Jobs, so that a CronJob is
 * known before its Jobs; CronJobs that are only observed are followed beside them, and no caller waits for their list. Jobs are listed before pods, so that the Jobs that could adopt an orphan are known. Calls
 * `onReady` once Jobs and pods are listed, or their watches continue.
 */
export async function followPart(
  shared: SharedWatchState,
  watched: Watched,
  onReady: () => void,
): Promise<void> {
  const isControlled = shared.reading.scope.cronJobs === true;
  const isRecorded = isControlled || watched.optional.includes('cronjobs');
  const cronJobs = isRecorded ? followCronJobs(shared, watched) : null;
  if (isControlled) await cronJobs?.listed;
  const jobs = followJobs(shared, watched);
  await jobs.listed;
  const pods = followPods(shared, watched, { jobs, onReady });
  await Promise.all([jobs.ended, pods.ended, cronJobs?.ended]);
}

function followCronJobs(shared: SharedWatchState, watched: Watched): Following {
  return followCollection<CronJob>(shared, watched, 'cronjobs', {
    createReader: readerOfCronJobs,
    beforeFirstList: () => shared.recover('cronjobs', watched.part),
    relist: null,
    isOptional: shared.reading.scope.cronJobs !== true,
  });
}

function followJobs(shared: SharedWatchState, watched: Watched): Following {
  const { part, before } = watched;
  const { claim, cronJobs } = shared.reading.scope;
  return followCollection<Job>(shared, watched, 'jobs', {
    createReader: readerOfJobs,
    beforeFirstList: () => shared.recover('jobs', part),
    relist: before.news.length === 0 ? null : `${before.news.join(', ')} are recorded from now on`,
    onListed: () => {
      void shared.remember('cronjobs', part, cronJobs === true ? true : null);
      void shared.remember('chains', part, claim);
    },
  });
}

function followPods(
  shared: SharedWatchState,
  watched: Watched,
  { jobs, onReady }: { jobs: Following; onReady: () => void },
): Following {
  const { part, before } = watched;
  const { claim } = shared.reading.scope;
  return followCollection<Pod>(shared, watched, 'pods', {
    createReader: readerOfPods,
    beforeFirstList: async () => {
      const recovered = await shared.recover('pods', part);
      // A dispatcher that does not know the Jobs of these pods would drop the pods, so the Jobs are recorded again
      // first.
      if (recovered.length > 0) await jobs.caughtUp;
    },
    relist: before.isOtherClaim ? `the claim changed to ${claim}` : null,
    onListed: () => {
      void shared.remember('pods', part, claim);
      onReady();
    },
    onContinued: () => {
      if (!before.isOtherClaim) onReady();
    },
  });
}

interface Following {
  /**
   * Resolves when the objects of the part are known, from a list or from an earlier term, or when the watch has ended.
   */
  listed: Promise<void>;
  /** Resolves when the watch has caught up with the collection, or has ended. */
  caughtUp: Promise<void>;
  ended: Promise<void>;
}

function followCollection<T extends ApiObject>(
  { client, log, reading, refusals, watches, inTurn, checkVersion, auditMs, signal }: SharedWatchState,
  { part, before }: Watched,
  resource: Resource,
  options: {
    createReader: (dependencies: ReaderDependencies) => CollectionReader<T>;
    beforeFirstList: () => Promise<unknown>;
    /** The reason to list although a position is known; null without such a reason. */
    relist: string | null;
    /** True when the resource is recorded only where the account may read it. */
    isOptional?: boolean;
    onListed?: () => void;
    /** Called when the watch continues without a list. */
    onContinued?: () => void;
  },
): Following {
  const { cluster } = client;
  const name = watchName(resource, part);
  const shard = shardIn(part);
  const from = reading.live.positions[name]?.resourceVersion;
  const isWider = before.isWider(resource);
  const relist = isWider ? WIDER : options.relist;
  const [listed, caughtUp] = [createMoment(), createMoment()];
  const path = collectionPath(resource, namespaceIn(name));
  const isContinued = from !== undefined && !isWider;
  const ended = listWatch<T>(
    {
      client,
      log,
      path,
      from,
      ...(relist !== null && { relist }),
      // The API server sends the objects of all shards.
      ...(shard !== null && shard.of > 1 && { keeps: (each: string) => hasNamespace(shard, each) }),
      // A cluster that refuses a resource only to be observed does not count as refused.
      ...(options.isOptional !== true && {
        onRefusal: (reason: string | null) => refusals.note(cluster, name, reason),
      }),
      onReceived: () => watches.received(cluster, name),
      onNotRecorded: () => reading.onNotRecorded(resource),
      onCaughtUp: () => caughtUp.reach(),
      beforeFirstList: options.beforeFirstList,
      checkVersion: (resourceVersion, older) => {
        const { positions, [resource]: recorded } = reading.live;
        const known =
          older === undefined
            ? objectsToCompare(
                positions[name]?.deleted,
                findLatestVersions(recorded, namespaceIn(name), LATEST),
              )
            : [older];
        const objects = known.map((each) => ({ ...each, path: collectionPath(resource, each.namespace) }));
        return checkVersion({ resource, path, resourceVersion, objects });
      },
      onContinued: () => {
        if (!isContinued) return;
        listed.reach();
        options.onContinued?.();
      },
      onListed: () => {
        listed.reach();
        options.onListed?.();
      },
      auditMs,
      comparedAt: reading.live.positions[name]?.compared?.time,
      inTurn,
      signal,
    },
    options.createReader({ ...reading, part }),
  );
  return {
    listed: Promise.race([listed.reached, ended]),
    caughtUp: Promise.race([caughtUp.reached, ended]),
    ended,
  };
}

interface Moment {
  reached: Promise<void>;
  reach: () => void;
}

function createMoment(): Moment {
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach };
}
