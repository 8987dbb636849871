import { hostname } from 'node:os';
import type { ClusterConnected } from '../../workflows/ledger/cluster-events.ts';
import { withDigest } from '../adapters/events/event-codec.ts';
import { UnavailableError } from '../adapters/errors.ts';
import type { Appender, Permit } from '../adapters/kafka/append.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { epochIn, epochRecord, withEpoch, type Epoch } from '../live-topic/epoch.ts';
import {
  anotherClusterText,
  identityRecords,
  KUBE_SYSTEM,
  namespaceUid,
} from '../live-topic/cluster-identity.ts';
import { encodeLiveRecord, readLiveTopic, type LiveRecord } from '../live-topic/live-topic.ts';
import type { OlderAnswer } from '../live-topic/older-answer.ts';
import { leaderRecord, unwrittenSince } from '../live-topic/watches.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { NOT_ACQUIRED, whileLeading, type Leadership } from '../adapters/kubernetes/lease.ts';
import type { Refusals } from '../adapters/kubernetes/refusals.ts';
import type { Log } from '../adapters/process/log.ts';
import { whenAllReady } from '../adapters/process/shutdown.ts';
import { pause } from '../adapters/waiting/pause.ts';
import { logFailures } from '../adapters/waiting/retry.ts';
import { createTurns } from '../adapters/waiting/turns.ts';
import { isInPart, shardPart, shardIn, watchName, type Part } from '../shards/watch-names.ts';
import { watchedAnnotations } from '../shards/watched.ts';
import { createSink, leasePermit } from './append.ts';
import { recordAuditLog, type AuditLog } from './audit-log/record-audit-log.ts';
import { readEarlierTerms, settingRecord } from './terms/earlier-terms.ts';
import { nextEpoch, restoredEvent } from './watch/epoch.ts';
import { createReadFurthest, hasEpochPassed } from './watch/furthest.ts';
import { readLastWritten, unseenWritesSince } from './watch/last-written.ts';
import { followWorkerWrites } from './watch/follow-older.ts';
import { collectionPath, followPart, type Term, type Watched } from './watch/follow-part.ts';
import { readIdentity, requireOneName, type Identity } from './terms/identity.ts';
import { leaseName } from '../shards/lease-name.ts';
import { hasNamespace, type Shard } from '../shards/shards.ts';
import { followFacts } from './terms/follow-facts.ts';
import { leaseTrouble } from './terms/lease-trouble.ts';
import { findOtherShards } from './terms/other-shards.ts';
import {
  applyChange,
  emptyLiveSet,
  RESOURCES,
  type LiveChange,
  type LiveSet,
  type Resource,
} from './live-set/live-set.ts';
import { countInitialLiveSet, type CountChange, type WatchMetrics } from './metrics.ts';
import { createRecovery } from './live-set/recover-live-set.ts';
import type { TranslationScope } from './translate/translate.ts';
import { createVersionCheck } from './watch/version-check.ts';

/**
 * The number of lists at the same time: one for each resource, so that no list waits for another list if the whole
 * cluster is watched.
 */
const LISTS_AT_ONCE = 3;

/** The longest pause before the next look for ingesters of another number of shards, in milliseconds. */
const OTHER_SHARDS_MS = 1000;
const OTHER_SHARDS =
  'an ingester of another number of shards is active, so this ingester waits until the other ingester has stopped (docs/operate/scale.md)';
const RESTORED =
  'the API server was restored from an older copy: everything is listed and recorded again, in a new epoch (docs/backup-and-disaster.md)';

export interface IngestDependencies {
  client: KubernetesClient;
  kafka: KafkaConnection;
  /** The id of the installation; several installations may share the cluster. */
  installation: string;
  appender: Appender;
  log: Log;
  count: CountChange;
  watches: WatchMetrics;
  scope: TranslationScope;
  refusals: Refusals;
  leaseNamespace: string;
  /** The only namespaces to watch; an empty list means all namespaces. */
  namespaces: readonly string[];
  /** The shard of the cluster; only the namespaces of the shard are watched. */
  shard: Shard;
  /** The paths of the additional recorded fields. */
  recordedFields: readonly string[];
  auditMs: number;
  /** The audit log of the API server; absent when no log is read. */
  auditLog?: AuditLog | undefined;
  /** Called with whether the API server answered a request for the Lease. */
  silence: (answers: boolean) => void;
  /**
   * Called with the epoch that the watches follow, which is null before the first restore, and with the signal that
   * ends this epoch.
   */
  onEpoch: (epoch: Epoch | null, signal: AbortSignal) => void;
  /** The epoch in the records of the installation. */
  recordedEpoch: () => Epoch | null;
  /** The object that a worker has seen in an older version than before; null without such an object. */
  reportedOlder: () => OlderAnswer | null;
  signal: AbortSignal;
}

/**
 * Records a shard of a cluster in the ledger while this process holds the shard's Lease. Calls `onReady` when Jobs and
 * pods are listed, or when another ingester is active. @throws InputError if the cluster must not be recorded under
 * this name.
 */
export async function ingest(dependencies: IngestDependencies, onReady: () => void): Promise<void> {
  const { client, log, refusals, shard, signal, leaseNamespace: namespace } = dependencies;
  const { cluster } = client;
  const identity = `${hostname()}_${process.pid}_${Date.now()}`;
  const name = leaseName(cluster, dependencies.installation, shard.index);
  let holder = '';
  const reached: Reached = { epoch: 0, versions: new Map() };
  const logTrouble = logFailures(log, NOT_ACQUIRED, { cluster, lease: `${namespace}/${name}` });
  const onTrouble = (error: unknown, failures: number): void => {
    dependencies.silence(!(error instanceof UnavailableError));
    const reason = error === null ? null : leaseTrouble(error, namespace);
    refusals.note(cluster, 'Lease', reason);
    if (error !== null && reason === null) logTrouble(error, failures);
  };
  const standBy = (other: string, message: string): void => {
    if (other !== holder) log.warn({ cluster, lease: name, holder: other }, message);
    holder = other;
    onReady();
  };
  await whileLeading(
    {
      client,
      log,
      namespace,
      name,
      identity,
      signal,
      onTrouble,
      annotations: () => watchedAnnotations(reached.versions, { epoch: reached.epoch, shards: shard.of }),
    },
    async (leadership) => {
      const others = await findOtherShards(client, { ...dependencies, ...leadership });
      if (others === null)
        return leadTerm({ ...dependencies, holder: identity, reached }, leadership, onReady);
      standBy(others, OTHER_SHARDS);
      // The pause is random, so that of two shards that wait for each other, one shard begins first.
      await pause(Math.random() * OTHER_SHARDS_MS, leadership.signal);
    },
    (other) => standBy(other, 'another ingester is active, so this ingester is on standby'),
  );
}

/** The version up to which the events of each watch are in the ledger. The Lease shows these versions to the worker. */
interface Reached {
  epoch: number;
  versions: Map<string, string>;
}

type LeaderDependencies = IngestDependencies & { holder: string; reached: Reached };

/** Watches the cluster during one term of the Lease, and shows in metrics and records that this ingester leads. */
async function leadTerm(
  dependencies: LeaderDependencies,
  leadership: Leadership,
  onReady: () => void,
): Promise<void> {
  const { watches, scope, shard, appender, kafka } = dependencies;
  watches.leads(scope.cluster, true);
  try {
    await watchCluster(dependencies, leadership, onReady);
  } finally {
    watches.leads(scope.cluster, false);
    // The record is not sent when another ingester may lead, because that ingester records the fact itself.
    const stopped = leaderRecord(scope.cluster, shard, null);
    await appender.write(kafka.topics.live, [stopped], leasePermit(leadership.isHeld)).catch(() => undefined);
  }
}

/**
 * Watches the cluster until the term ends. When the API server of the cluster was restored, the watches begin again in
 * a new epoch.
 */
async function watchCluster(
  dependencies: LeaderDependencies,
  leadership: Leadership,
  onReady: () => void,
): Promise<void> {
  while (!leadership.signal.aborted) {
    const restored = new AbortController();
    const signal = AbortSignal.any([leadership.signal, restored.signal]);
    await watchInEpoch(dependencies, { ...leadership, signal }, { onReady, restored });
  }
}

/**
 * Watches the whole shard, or each of the given namespaces in the shard, until the term ends or `restored` is aborted.
 */
async function watchInEpoch(
  dependencies: LeaderDependencies,
  { signal, isHeld }: Leadership,
  { onReady, restored }: { onReady: () => void; restored: AbortController },
): Promise<void> {
  const { client, log, count, watches, namespaces, shard, leaseNamespace, kafka } = dependencies;
  const { cluster } = dependencies.scope;
  const parts = shardParts(shard, namespaces);
  const records = withEpoch(cluster, await readLiveTopic(kafka), dependencies.recordedEpoch());
  // Another cluster may have appeared at this address after the first check.
  const identity = await readIdentity(client, { known: records, leaseNamespace, namespaces, log, signal });
  requireOneName(cluster, identity, records);
  const epoch = epochIn(cluster, records);
  dependencies.onEpoch(epoch, signal);
  const scope = { ...dependencies.scope, ...(epoch !== null && { epoch: epoch.epoch }) };
  const live = restoreLiveSet(cluster, records, parts);
  const all = parts.map((part) => ({ part, before: readEarlierTerms(scope, records, part) }));
  for (const watched of all) continueLiveSet(live, watched);
  countInitialLiveSet(count, live);
  const { reached } = dependencies;
  resetReached(reached, live, all, scope.epoch);
  const sink = createSink({
    cluster,
    onReached: ({ of, position }) => void reached.versions.set(of, position.resourceVersion),
    appender: dependencies.appender,
    topics: kafka.topics,
    log,
    isHeld,
    signal,
  });
  const permit = leasePermit(isHeld);
  const onNotRecorded = (resource: Resource): void => watches.notRecorded(cluster, resource);
  const reading = { scope, live, sink, count, log, onNotRecorded };
  const since = unwrittenSince(cluster, records, { shard, parts });
  await announceLeadership(dependencies, { identity, unwrittenSince: since, parts }, permit);
  const writeRecords = (written: readonly LiveRecord[]): Promise<void> =>
    writeSettings(dependencies, written, permit);
  const isNew = all.some(({ before }) => RESOURCES.some((resource) => before.isRestored(resource)));
  // This event comes before everything else of the epoch, and is appended again after a crash.
  if (epoch !== null && isNew) await dependencies.appender.append([restoredEvent(cluster, epoch)], permit);
  const dropped = all.flatMap(({ before }) => before.dropped);
  if (dropped.length > 0)
    await dependencies.appender.write(kafka.topics.live, dropped.map(encodeLiveRecord), permit);
  await writeRecords(all.flatMap(({ before }) => before.copies));
  if (epoch !== null && isNew) await writeRecords([epochRecord(cluster, epoch)]);
  const oneAtATime = createTurns(1);
  const requireSame = async (): Promise<void> => {
    const uid = await namespaceUid(client, identity.namespace ?? KUBE_SYSTEM, signal);
    if (uid === identity.uid) return;
    // The check at the beginning of the next epoch refuses the cluster.
    restored.abort();
    throw new UnavailableError(anotherClusterText(cluster, identity.uid, uid));
  };
  const read = (): Promise<readonly LiveRecord[]> => readLiveTopic(kafka);
  const present = scope.epoch ?? 0;
  const term: Term = {
    ...dependencies,
    reading,
    recover: createRecovery({ ...reading, kafka, cluster, since }),
    inTurn: createTurns(LISTS_AT_ONCE),
    checkVersion: createVersionCheck({
      ...dependencies,
      signal,
      furthest:
        shard.of === 1
          ? undefined
          : createReadFurthest(cluster, present, { records, read, onPassed: () => restored.abort() }),
      requireSame,
      begin: (found) =>
        oneAtATime(async () => {
          if (restored.signal.aborted) return;
          // Observations of the old epoch are recorded before the new one begins.
          await sink.drained();
          if (shard.of > 1 && hasEpochPassed(cluster, present, await read())) return restored.abort();
          const next = epochRecord(cluster, nextEpoch(epoch, { ...found, since: lastSeenTime(live) }));
          await dependencies.appender.write(kafka.topics.live, [encodeLiveRecord(next)], permit);
          log.error({ cluster, ...found }, RESTORED);
          restored.abort();
        }),
    }),
    remember: (setting, part, value) =>
      sink.drained().then(() => writeRecords([settingRecord(cluster, setting, part, value)])),
    signal,
  };
  // The positions are read now, because the watches move them while the ledger is read.
  const writesFrom = unseenWritesSince(live.positions, present);
  const concerns = ({ epoch: of, namespace }: OlderAnswer): boolean =>
    of === present && parts.some((part) => isInPart(part, namespace));
  const ready = whenAllReady(all.map(partName), onReady);
  try {
    await Promise.all([
      ...all.map((watched) => followPart(term, watched, () => ready(partName(watched)))),
      followWorkerWrites({
        cluster,
        readWritten: () =>
          readLastWritten(kafka, { cluster, epoch: present, concerns, since: writesFrom, signal }),
        reported: dependencies.reportedOlder,
        concerns,
        check: ({ resource, ...object }) => {
          const path = collectionPath(resource, object.namespace);
          return term.checkVersion({ resource, path, resourceVersion: '0', objects: [{ ...object, path }] });
        },
        log,
        signal,
      }),
      shard.index > 1 || dependencies.auditLog === undefined
        ? undefined
        : recordAuditLog(dependencies, { auditLog: dependencies.auditLog, live, records, permit, signal }),
      // Only the first of several shards records the facts about the cluster.
      shard.index > 1
        ? undefined
        : followFacts(
            client,
            { version: identity.version, apis: identity.apis },
            {
              onChange: (facts) =>
                dependencies.appender.append([connectedEvent(cluster, { ...identity, ...facts })], permit),
              log,
              signal,
            },
          ),
    ]);
  } finally {
    await sink.close();
  }
}

/**
 * Sets the reached versions to the positions of this term's watches in this epoch, without the positions of other
 * parts.
 */
function resetReached(reached: Reached, live: LiveSet, all: readonly Watched[], epoch = 0): void {
  reached.epoch = epoch;
  reached.versions.clear();
  for (const { part } of all)
    for (const resource of RESOURCES) {
      const name = watchName(resource, part);
      const position = live.positions[name];
      if (position !== undefined && (position.epoch ?? 0) === epoch)
        reached.versions.set(name, position.resourceVersion);
    }
}

function partName({ part }: Watched): string {
  return part ?? 'the whole cluster';
}

/** The watched parts of a shard: the given namespaces in the shard, or the whole shard. */
function shardParts(shard: Shard, namespaces: readonly string[]): Part[] {
  if (namespaces.length === 0) return [shardPart(shard)];
  return namespaces.filter((namespace) => hasNamespace(shard, namespace));
}

/**
 * The objects of the watched parts in the live topic. Objects of other namespaces wait in the live set until they are
 * watched again.
 */
function restoreLiveSet(cluster: string, records: readonly LiveRecord[], parts: readonly Part[]): LiveSet {
  const live = emptyLiveSet();
  const shards = parts.flatMap((part) => shardIn(part) ?? []);
  const isWatched = (namespace: string): boolean =>
    parts.includes(namespace) || shards.some((shard) => hasNamespace(shard, namespace));
  for (const { cluster: of, kind, key: uid, value } of records) {
    if (of !== cluster || (kind !== 'jobs' && kind !== 'pods' && kind !== 'cronjobs')) continue;
    // The ingester wrote the topic, so the values have the shapes of the live set.
    const change = { resource: kind, uid, entry: value } as Exclude<LiveChange, { resource: 'position' }>;
    if (isWatched(change.entry?.namespace ?? '')) applyChange(live, change);
  }
  return live;
}

/** Sets the positions of the watches, and resets the versions of the objects that a list must record again. */
function continueLiveSet(live: LiveSet, { part, before }: Watched): void {
  for (const resource of RESOURCES) {
    const position = before.positions[resource];
    if (position !== undefined) live.positions[watchName(resource, part)] = position;
  }
  if (before.hasEarlierEpochs('jobs')) forgetVersions(live.jobs, part);
  if (before.hasEarlierEpochs('pods')) forgetVersions(live.pods, part);
  if (before.hasEarlierEpochs('cronjobs')) forgetVersions(live.cronjobs, part);
  // After a change of the claim, other pods are relevant: orphans that match, and pods with a finalizer that Jobledger
  // must remove.
  if (before.isOtherClaim) forgetVersions(live.pods, part);
  if (before.news.length > 0) forgetVersions(live.jobs, part);
}

/** The instant at which a watch last reached a version. */
function lastSeenTime({ positions }: LiveSet): string {
  const times = Object.values(positions).flatMap((position) => position?.time ?? []);
  return times.toSorted().at(-1) ?? new Date().toISOString();
}

/** Resets the versions of the entries in a part, so that a list records all objects again. */
function forgetVersions<E extends { namespace: string; resourceVersion: string }>(
  entries: Map<string, E>,
  part: Part,
): void {
  for (const [uid, entry] of entries)
    if (isInPart(part, entry.namespace)) entries.set(uid, { ...entry, resourceVersion: '0' });
}

/** Writes the records of settings; a failure is ignored, because the next term records the objects again. */
async function writeSettings(
  { appender, kafka }: IngestDependencies,
  records: readonly LiveRecord[],
  permit: Permit,
): Promise<void> {
  if (records.length === 0) return;
  await appender.write(kafka.topics.live, records.map(encodeLiveRecord), permit).catch(() => undefined);
}

/** Records the identity of the cluster, and that this ingester leads the shard. */
async function announceLeadership(
  { scope: { cluster }, shard, appender, kafka, holder, recordedFields }: LeaderDependencies,
  { identity, ...known }: { identity: Identity; unwrittenSince: number | null; parts: readonly Part[] },
  permit: Permit,
): Promise<void> {
  await appender.append([connectedEvent(cluster, identity)], permit);
  const identified = identityRecords(cluster, identity).map(encodeLiveRecord);
  const writeRecords = (records: readonly ReturnType<typeof encodeLiveRecord>[]): Promise<void> =>
    appender.write(kafka.topics.live, records, permit);
  await writeRecords(identified.slice(0, -1));
  // These records are written before the first fact of the cluster, so that a reader of a fact finds that an ingester
  // watches the cluster.
  await writeRecords([
    ...identified.slice(-1),
    encodeLiveRecord({ cluster, kind: 'connected', key: 'ledger', value: true }),
    leaderRecord(cluster, shard, { identity: holder, recordedFields, ...known }),
  ]);
}

function connectedEvent(cluster: string, { apis, ...identity }: Identity): ClusterConnected {
  const time = new Date().toISOString();
  return withDigest<ClusterConnected>({
    id: `${cluster}/connected/${identity.uid}/${time}`,
    type: 'cluster.connected',
    source: cluster,
    subject: cluster,
    time,
    data: { cluster, ...identity, ...(apis !== null && { apis }) },
  });
}
