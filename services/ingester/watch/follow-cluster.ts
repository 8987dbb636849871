import { clusterFacts, type ClusterFacts } from '../../adapters/kubernetes/cluster-facts.ts';
import { collectionPath } from '../../adapters/kubernetes/collection-path.ts';
import { whenAllReady } from '../../adapters/process/shutdown.ts';
import { createTurns } from '../../adapters/waiting/turns.ts';
import type { OlderAnswer } from '../../live-topic/older-answer.ts';
import { isInPart } from '../../shards/watch-names.ts';
import { createAppendQueue } from '../append/append-queue.ts';
import { recordAuditLog } from '../audit-log/record-audit-log.ts';
import { followNodes } from '../nodes/follow-nodes.ts';
import { createRestoreCheck } from '../epochs/begin-epoch.ts';
import { followWorkerWrites } from '../epochs/follow-worker-writes.ts';
import { readLastWritten, unseenWritesSince } from '../epochs/last-written.ts';
import { createDepartedObjects } from '../kubernetes-events/departed-objects.ts';
import { followEvents } from '../kubernetes-events/follow-events.ts';
import { isEventWatch, type LiveSet, type Resource } from '../live-set/live-set.ts';
import { createRecovery } from '../recovery/recover-from-ledger.ts';
import type { Recovered } from '../recovery/recover.ts';
import { announceTerm, connectedEvent, writeSettings } from '../terms/announce-term.ts';
import { settingRecord, type Watched } from '../terms/earlier-terms.ts';
import { followFacts, POLL_MS } from '../terms/follow-facts.ts';
import { notRecorded, readableResources } from '../terms/optional-resources.ts';
import type { Term } from '../terms/open-term.ts';
import { followPart, type SharedWatchState } from './follow-part.ts';

/**
 * The number of lists at the same time: one for each resource, so that no list waits for another list if the whole
 * cluster is watched.
 */
const LISTS_AT_ONCE = 3;

/**
 * Records the term, which is the time in which this ingester holds the Lease of the cluster, within one epoch. Then appends
 * to the ledger the changes of the watched parts (each a namespace, the namespaces of a shard, or the whole cluster), the
 * audit log and the facts about the cluster, until the term ends. `ended` is aborted here when another term
 * must begin: when the API server was restored, when another cluster answers, or when other resources may be read. Calls `onReady` when Jobs and pods are listed
 * in each part.
 */
export async function followCluster(
  term: Term,
  { live, watched }: Recovered,
  { onReady, ended }: { onReady: () => void; ended: AbortController },
): Promise<void> {
  await announceTerm(term, watched);
  const { scope, log, count, watches, kafka, appender, reached, isHeld, signal } = term;
  const { cluster } = scope;
  const queue = createAppendQueue({
    cluster,
    // The worker needs the positions of Jobs and pods only.
    onReached: ({ of, position }) => {
      if (!isEventWatch(of)) reached.versions.set(of, position.resourceVersion);
    },
    appender,
    topics: kafka.topics,
    log,
    isHeld,
    signal,
  });
  const onNotRecorded = (resource: Resource): void => watches.notRecorded(cluster, resource);
  const departed = createDepartedObjects();
  const reading: SharedWatchState['reading'] = {
    scope,
    live,
    queue,
    count: (before, change) => {
      departed.note(before, change);
      count(before, change);
    },
    log,
    onNotRecorded,
  };
  const shared: SharedWatchState = {
    ...term,
    reading,
    recover: createRecovery({ ...reading, kafka, cluster, since: term.unwrittenSince }),
    inTurn: createTurns(LISTS_AT_ONCE),
    checkVersion: createRestoreCheck(term, { live, queue, ended }),
    // After the queue, so that a setting is recorded only after the events that were read before.
    remember: (setting, part, value) =>
      queue.drained().then(() => writeSettings(term, [settingRecord(cluster, setting, part, value)])),
  };
  // Before the watches start, because they move the positions while `compareWorkerWrites` reads the ledger from here.
  const writesFrom = unseenWritesSince(live.positions, scope.epoch ?? 0);
  const listed = Promise.withResolvers<void>();
  const ready = whenAllReady(watched.map(partName), () => {
    listed.resolve();
    onReady();
  });
  try {
    await Promise.all([
      ...watched.map((each) => followPart(shared, each, () => ready(partName(each)))),
      compareWorkerWrites(term, { since: writesFrom, checkVersion: shared.checkVersion }),
      ...followClusterWide(term, live),
      followReadable(term, ended),
      followEvents(term, { live, departed, queue, watched, listed: listed.promise }),
    ]);
  } finally {
    await queue.close();
  }
}

function partName({ part }: Watched): string {
  return part ?? 'the whole cluster';
}

/** Compares the objects that workers wrote with the API server, which may have been restored without these writes. */
function compareWorkerWrites(
  { scope, parts, kafka, reportedOlder, log, signal }: Term,
  { since, checkVersion }: { since: number | null } & Pick<SharedWatchState, 'checkVersion'>,
): Promise<void> {
  const { cluster, epoch: present = 0 } = scope;
  const concerns = ({ epoch: answered, namespace }: OlderAnswer): boolean =>
    answered === present && parts.some((part) => isInPart(part, namespace));
  return followWorkerWrites({
    cluster,
    readWritten: () => readLastWritten(kafka, { cluster, epoch: present, concerns, since, signal }),
    reported: reportedOlder,
    concerns,
    check: ({ resource, ...object }) => {
      const path = collectionPath(resource, object.namespace);
      // Only the object is compared: no version lies before '0'.
      return checkVersion({ resource, path, resourceVersion: '0', objects: [{ ...object, path }] });
    },
    log,
    signal,
  });
}

/**
 * Ends the term when the account may read other resources than at its beginning. Asks as often as the periodic lists, but
 * at least every minute.
 */
function followReadable(
  { client, parts, scope, readable, auditMs, log, signal }: Term,
  ended: AbortController,
): Promise<void> {
  const failed = { log, message: 'the optional resources cannot be read', cluster: scope.cluster };
  return followFacts(() => readableResources(client, { parts, signal }), readable, {
    onChange: async () => ended.abort(),
    failed,
    signal,
    pollMs: Math.min(POLL_MS, auditMs),
  });
}

/** Follows the audit log, the facts about the cluster and its nodes, which only the first of several shards records. */
function followClusterWide(term: Term, live: LiveSet): Promise<void>[] {
  const { client, shard, identity, records, auditLog, appender, permit, log, signal } = term;
  // Shards count from 1.
  if (shard.index > 1) return [];
  const { cluster } = term.scope;
  const { version, apis } = identity;
  const onChange = (facts: ClusterFacts): Promise<void> =>
    appender.append([connectedEvent(cluster, { ...identity, ...facts }, notRecorded(term))], permit);
  const failed = { log, message: 'the version and the APIs of the cluster cannot be read', cluster };
  return [
    ...(notRecorded(term).includes('nodes') ? [] : [followNodes(term)]),
    ...(auditLog === undefined ? [] : [recordAuditLog(term, { auditLog, live, records, permit, signal })]),
    followFacts(() => clusterFacts(client, signal), { version, apis }, { onChange, failed, signal }),
  ];
}
