import { hostname } from 'node:os';
import type { ClusterConnected } from '../../workflows/job/events.ts';
import type { CronJob, Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { withDigest } from '../adapters/event-codec.ts';
import { messageOf } from '../adapters/errors.ts';
import type { Appender, Permit } from '../adapters/kafka/append.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { encodeLiveRecord, readLiveTopic, type LiveRecord } from '../contracts/live-topic.ts';
import { leaderRecord, unwrittenSince } from '../contracts/watches.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { whileLeading, type Leadership } from '../adapters/kubernetes/lease.ts';
import type { Refusals } from '../adapters/kubernetes/refusals.ts';
import type { Log } from '../adapters/log.ts';
import { createSink, permitOf } from './append.ts';
import { identityOf, requireSameCluster, type Identity } from './identity.ts';
import { leaseName } from './lease-name.ts';
import { leaseTrouble } from './lease-trouble.ts';
import { listWatch, type CollectionReader, type ListWatchOptions } from './list-watch.ts';
import {
  applyChange,
  emptyLiveSet,
  type LiveChange,
  type LiveSet,
  type Resource,
  type WatchPosition,
} from './live-set.ts';
import { countAll, type CountChange, type WatchMetrics } from './metrics.ts';
import { createRecovery } from './recover-live-set.ts';
import { readerOfCronJobs, readerOfJobs, readerOfPods } from './readers.ts';
import type { TranslationScope } from './translate.ts';

export interface IngestDependencies {
  client: KubernetesClient;
  kafka: KafkaConnection;
  /** Id of the installation; several installations may share the cluster. */
  installation: string;
  appender: Appender;
  log: Log;
  count: CountChange;
  watches: WatchMetrics;
  scope: TranslationScope;
  refusals: Refusals;
  leaseNamespace: string;
  auditMs: number;
  signal: AbortSignal;
}

/**
 * Records one cluster in the ledger while this process holds the cluster's Lease. Calls `onReady` once Jobs and pods
 * are listed, or another ingester is active. @throws InputError when the cluster must not be recorded under this name
 * any more.
 */
export async function ingest(dependencies: IngestDependencies, onReady: () => void): Promise<void> {
  const { client, log, refusals, signal, leaseNamespace: namespace } = dependencies;
  const { cluster } = client;
  const identity = `${hostname()}_${process.pid}_${Date.now()}`;
  const name = leaseName(cluster, dependencies.installation);
  let holder = '';
  const onTrouble = (error: unknown): void => {
    const reason = error === null ? null : leaseTrouble(error, namespace);
    refusals.note(cluster, 'Lease', reason);
    if (error !== null && reason === null)
      log.warn(
        { cluster, lease: `${namespace}/${name}`, error: messageOf(error) },
        'the Lease could not be acquired; trying again',
      );
  };
  await whileLeading(
    { client, log, namespace, name, identity, signal, onTrouble },
    (leadership) => lead({ ...dependencies, holder: identity }, leadership, onReady),
    (other) => {
      if (other !== holder)
        log.warn(
          { cluster, lease: name, holder: other },
          'another ingester is active, this one is on standby',
        );
      holder = other;
      onReady();
    },
  );
}

type LeaderDependencies = IngestDependencies & { holder: string };

async function lead(
  dependencies: LeaderDependencies,
  leadership: Leadership,
  onReady: () => void,
): Promise<void> {
  const { watches, scope, appender, kafka } = dependencies;
  watches.leads(scope.cluster, true);
  try {
    await follow(dependencies, leadership, onReady);
  } finally {
    watches.leads(scope.cluster, false);
    // Not sent once another ingester may lead, which records itself.
    const stopped = leaderRecord(scope.cluster, null);
    await appender.write(kafka.topics.live, [stopped], permitOf(leadership.isHeld)).catch(() => undefined);
  }
}

/** Lists Jobs before pods, so that the Jobs that could adopt an orphan are known. */
async function follow(
  dependencies: LeaderDependencies,
  { signal, isHeld }: Leadership,
  onReady: () => void,
): Promise<void> {
  const { client, log, count, scope, auditMs, kafka, refusals, watches } = dependencies;
  const records = await readLiveTopic(kafka);
  // Since the first check, another cluster may have appeared at this address.
  const identity = await identityOf(client, log, signal);
  requireSameCluster(scope.cluster, identity, records);
  const live = liveSetOf(scope.cluster, records);
  const isOtherClaim = claimBefore(scope.cluster, records) !== scope.claim;
  if (isOtherClaim) forgetVersions(live);
  const areCronJobsNew = scope.cronJobs === true && !hadCronJobs(scope.cluster, records);
  const areChainsNew = scope.chains === true && chainsBefore(scope.cluster, records) !== scope.claim;
  if (areCronJobsNew || areChainsNew) forgetJobVersions(live);
  countAll(count, live);
  const sink = createSink({
    cluster: scope.cluster,
    appender: dependencies.appender,
    topics: kafka.topics,
    log,
    isHeld,
    signal,
  });
  const permit = permitOf(isHeld);
  const reading = { scope, live, sink, count, log };
  const since = unwrittenSince(scope.cluster, records);
  const recover = createRecovery({ ...reading, kafka, cluster: scope.cluster, since });
  let onJobsCaughtUp: () => void = () => undefined;
  const jobsCaughtUp = new Promise<void>((resolve) => {
    onJobsCaughtUp = resolve;
  });
  await announce(dependencies, { identity, unwrittenSince: since }, permit);
  const onRefusal = (part: string) => (reason: string | null) => refusals.note(scope.cluster, part, reason);
  const jobs = {
    client,
    log,
    path: '/apis/batch/v1/jobs',
    from: live.positions.jobs?.resourceVersion,
    onRefusal: onRefusal('jobs'),
    onHeard: () => watches.heard(scope.cluster, 'jobs'),
    beforeFirstList: () => recover('jobs'),
    onCaughtUp: onJobsCaughtUp,
    ...(areChainsNew && { relist: 'the Jobs that a Job waits for are recorded from now on' }),
    ...(areCronJobsNew && { relist: 'CronJobs are recorded from now on' }),
    auditMs,
    signal,
  };
  const pods = {
    client,
    log,
    path: '/api/v1/pods',
    from: live.positions.pods?.resourceVersion,
    onRefusal: onRefusal('pods'),
    onHeard: () => watches.heard(scope.cluster, 'pods'),
    beforeFirstList: async () => {
      const recovered = await recover('pods');
      // A dispatcher may not know their Jobs, and drops what comes before these are recorded again.
      if (recovered.length > 0) await Promise.race([jobsCaughtUp, followingJobs]);
    },
    ...(isOtherClaim && { relist: `the claim changed to ${scope.claim}` }),
    auditMs,
    signal,
  };
  let followPods: () => void = () => undefined;
  const jobsListed = new Promise<void>((resolve) => {
    followPods = resolve;
  });
  const beforeFirstList = (): Promise<unknown> => recover('cronjobs');
  const followingCronJobs =
    scope.cronJobs === true ? followCronJobs(dependencies, { signal, beforeFirstList }, reading) : null;
  // Listed before Jobs, so that a CronJob is known before its Jobs are.
  await followingCronJobs?.listed;
  const jobsRead = (): void => {
    followPods();
    void sink.drained().then(async () => {
      await rememberCronJobs(dependencies, permit);
      await rememberChains(dependencies, permit);
    });
  };
  const followingJobs = listWatch<Job>(jobs, onceListed(readerOfJobs(reading), jobsRead));
  if (jobs.from !== undefined) followPods();
  await Promise.race([jobsListed, followingJobs]);
  const podsListed = (): void => {
    void sink.drained().then(() => rememberClaim(dependencies, permit));
    onReady();
  };
  const followingPods = listWatch<Pod>(pods, onceListed(readerOfPods(reading), podsListed));
  if (pods.from !== undefined && !isOtherClaim) onReady();
  try {
    await Promise.all([followingJobs, followingPods, followingCronJobs?.ended]);
  } finally {
    await sink.close();
  }
}

/** Lists and watches CronJobs. `listed`: they are in the ledger once, or the watch has ended. */
function followCronJobs(
  { client, log, scope, auditMs, refusals, watches }: LeaderDependencies,
  term: Pick<ListWatchOptions, 'signal' | 'beforeFirstList'>,
  reading: Parameters<typeof readerOfCronJobs>[0],
): { listed: Promise<void>; ended: Promise<void> } {
  const { cluster } = scope;
  const from = reading.live.positions.cronjobs?.resourceVersion;
  let onListed: () => void = () => undefined;
  const listed = new Promise<void>((resolve) => {
    onListed = resolve;
  });
  const options = {
    client,
    log,
    path: '/apis/batch/v1/cronjobs',
    from,
    onRefusal: (reason: string | null) => refusals.note(cluster, 'cronjobs', reason),
    onHeard: () => watches.heard(cluster, 'cronjobs'),
    auditMs,
    ...term,
  };
  const ended = listWatch<CronJob>(
    options,
    onceListed(readerOfCronJobs(reading), () => onListed()),
  );
  if (from !== undefined) onListed();
  return { listed: Promise.race([listed, ended]), ended };
}

/** Whether Jobs were recorded in the streams of their CronJobs up to now. */
function hadCronJobs(cluster: string, records: readonly LiveRecord[]): boolean {
  return records.some(
    (record) => record.cluster === cluster && record.kind === 'claim' && record.key === 'cronjobs',
  );
}

function forgetJobVersions(live: LiveSet): void {
  for (const [uid, job] of live.jobs) live.jobs.set(uid, { ...job, resourceVersion: '0' });
}

async function rememberCronJobs(
  { appender, kafka, scope: { cluster, cronJobs } }: IngestDependencies,
  permit: Permit,
): Promise<void> {
  const value = cronJobs === true ? true : null;
  const record = encodeLiveRecord({ cluster, kind: 'claim', key: 'cronjobs', value });
  await appender.write(kafka.topics.live, [record], permit).catch(() => undefined);
}

/** The claim under which the Jobs that a Job waits for were recorded; other Jobs would have been ours under another. */
function chainsBefore(cluster: string, records: readonly LiveRecord[]): unknown {
  return records.find(
    (record) => record.cluster === cluster && record.kind === 'claim' && record.key === 'chains',
  )?.value;
}

async function rememberChains(
  { appender, kafka, scope: { cluster, claim, chains } }: IngestDependencies,
  permit: Permit,
): Promise<void> {
  const value = chains === true ? claim : null;
  const record = encodeLiveRecord({ cluster, kind: 'claim', key: 'chains', value });
  await appender.write(kafka.topics.live, [record], permit).catch(() => undefined);
}

function liveSetOf(cluster: string, records: readonly LiveRecord[]): LiveSet {
  const live = emptyLiveSet();
  for (const record of records)
    if (record.cluster === cluster) for (const change of changeOf(record)) applyChange(live, change);
  return live;
}

/** This program wrote the topic, so the values have the shapes of the live set. */
function changeOf({ kind, key, value }: LiveRecord): LiveChange[] {
  if (kind === 'position')
    return [{ resource: 'position', of: resourceOf(key), position: value as WatchPosition }];
  if (kind !== 'jobs' && kind !== 'pods' && kind !== 'cronjobs') return [];
  return [{ resource: kind, uid: key, entry: value } as LiveChange];
}

function resourceOf(key: string): Resource {
  return key === 'jobs' || key === 'cronjobs' ? key : 'pods';
}

/** The claim at the time of the last full list of pods. */
function claimBefore(cluster: string, records: readonly LiveRecord[]): unknown {
  return records.find(
    (record) => record.cluster === cluster && record.kind === 'claim' && record.key === 'pods',
  )?.value;
}

/**
 * After a change of the claim other pods are relevant: orphans that match, and pods with a finalizer that we must now
 * remove. Resetting the versions makes the list record each pod once more.
 */
function forgetVersions(live: LiveSet): void {
  for (const [uid, pod] of live.pods) live.pods.set(uid, { ...pod, resourceVersion: '0' });
}

async function rememberClaim(
  { appender, kafka, scope: { cluster, claim } }: IngestDependencies,
  permit: Permit,
): Promise<void> {
  const record = encodeLiveRecord({ cluster, kind: 'claim', key: 'pods', value: claim });
  await appender.write(kafka.topics.live, [record], permit).catch(() => undefined);
}

function onceListed<T>(reader: CollectionReader<T>, then: () => void): CollectionReader<T> {
  return {
    ...reader,
    async listed(all, gapFrom) {
      await reader.listed(all, gapFrom);
      then();
    },
  };
}

async function announce(
  { scope: { cluster }, appender, kafka, holder }: LeaderDependencies,
  { identity, unwrittenSince: since }: { identity: Identity; unwrittenSince: number | null },
  permit: Permit,
): Promise<void> {
  const time = new Date().toISOString();
  const event = withDigest<ClusterConnected>({
    id: `${cluster}/connected/${identity.uid}/${time}`,
    type: 'cluster.connected',
    source: cluster,
    subject: cluster,
    time,
    data: { cluster, ...identity },
  });
  await appender.append([event], permit);
  // Written before the first fact of the cluster, so that a reader of a fact finds that an ingester watches the
  // cluster.
  const records = [
    encodeLiveRecord({ cluster, kind: 'identity', key: 'uid', value: identity.uid }),
    encodeLiveRecord({ cluster, kind: 'connected', key: 'ledger', value: true }),
    leaderRecord(cluster, { identity: holder, unwrittenSince: since }),
  ];
  await appender.write(kafka.topics.live, records, permit);
}
