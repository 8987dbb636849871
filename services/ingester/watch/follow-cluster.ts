import type { ClusterFacts } from '../../adapters/kubernetes/cluster-facts.ts';
import { whenAllReady } from '../../adapters/process/shutdown.ts';
import { createTurns } from '../../adapters/waiting/turns.ts';
import type { OlderAnswer } from '../../live-topic/older-answer.ts';
import { isInPart } from '../../shards/watch-names.ts';
import { createAppendQueue } from '../append/append-queue.ts';
import { recordAuditLog } from '../audit-log/record-audit-log.ts';
import { createRestoreCheck } from '../epochs/begin-epoch.ts';
import { followWorkerWrites } from '../epochs/follow-worker-writes.ts';
import { readLastWritten, unseenWritesSince } from '../epochs/last-written.ts';
import type { LiveSet, Resource } from '../live-set/live-set.ts';
import { createRecovery } from '../recovery/recover-from-ledger.ts';
import type { Recovered } from '../recovery/recover.ts';
import { announceTerm, connectedEvent, writeSettings } from '../terms/announce-term.ts';
import { settingRecord, type Watched } from '../terms/earlier-terms.ts';
import { followFacts } from '../terms/follow-facts.ts';
import type { Term } from '../terms/open-term.ts';
import { collectionPath, followPart, type SharedWatchState } from './follow-part.ts';

/**
 * The number of lists at the same time: one for each resource, so that no list waits for another list if the whole
 * cluster is watched.
 */
const LISTS_AT_ONCE = 3;

/**
 * Announces the term, and follows the watched parts of a cluster, the writes of workers, the audit log and the facts about the cluster, until
 * the term ends or `restored` is aborted. Aborts `restored` when a new epoch begins. Calls `onReady` when Jobs and pods
 * are listed in each part.
 */
export async function followCluster(
  term: Term,
  { live, watched }: Recovered,
  { onReady, restored }: { onReady: () => void; restored: AbortController },
): Promise<void> {
  await announceTerm(term, watched);
  const { scope, log, count, watches, kafka, appender, reached, isHeld, signal } = term;
  const { cluster } = scope;
  const queue = createAppendQueue({
    cluster,
    onReached: ({ of, position }) => void reached.versions.set(of, position.resourceVersion),
    appender,
    topics: kafka.topics,
    log,
    isHeld,
    signal,
  });
  const onNotRecorded = (resource: Resource): void => watches.notRecorded(cluster, resource);
  const reading = { scope, live, queue, count, log, onNotRecorded };
  const shared: SharedWatchState = {
    ...term,
    reading,
    recover: createRecovery({ ...reading, kafka, cluster, since: term.unwrittenSince }),
    inTurn: createTurns(LISTS_AT_ONCE),
    checkVersion: createRestoreCheck(term, { live, queue, restored }),
    remember: (setting, part, value) =>
      queue.drained().then(() => writeSettings(term, [settingRecord(cluster, setting, part, value)])),
  };
  // The positions are read now, because the watches move them while the ledger is read.
  const writesFrom = unseenWritesSince(live.positions, scope.epoch ?? 0);
  const ready = whenAllReady(watched.map(partName), onReady);
  try {
    await Promise.all([
      ...watched.map((each) => followPart(shared, each, () => ready(partName(each)))),
      compareWorkerWrites(term, { since: writesFrom, checkVersion: shared.checkVersion }),
      ...followClusterWide(term, live),
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
  const concerns = ({ epoch: of, namespace }: OlderAnswer): boolean =>
    of === present && parts.some((part) => isInPart(part, namespace));
  return followWorkerWrites({
    cluster,
    readWritten: () => readLastWritten(kafka, { cluster, epoch: present, concerns, since, signal }),
    reported: reportedOlder,
    concerns,
    check: ({ resource, ...object }) => {
      const path = collectionPath(resource, object.namespace);
      return checkVersion({ resource, path, resourceVersion: '0', objects: [{ ...object, path }] });
    },
    log,
    signal,
  });
}

/** Follows the audit log and the facts about the cluster, which only the first of several shards records. */
function followClusterWide(term: Term, live: LiveSet): Promise<void>[] {
  const { client, shard, identity, records, auditLog, appender, permit, log, signal } = term;
  if (shard.index > 1) return [];
  const { version, apis } = identity;
  const onChange = (facts: ClusterFacts): Promise<void> =>
    appender.append([connectedEvent(term.scope.cluster, { ...identity, ...facts })], permit);
  return [
    ...(auditLog === undefined ? [] : [recordAuditLog(term, { auditLog, live, records, permit, signal })]),
    followFacts(client, { version, apis }, { onChange, log, signal }),
  ];
}
