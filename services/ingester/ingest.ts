import { hostname } from 'node:os';
import type { ClusterConnected } from '../../workflows/job/events.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { sealed } from '../adapters/event-codec.ts';
import type { Appender } from '../adapters/kafka/append.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { encodeLiveRecord, readLiveTopic, type LiveRecord } from '../adapters/kafka/live-topic.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { whileLeading } from '../adapters/kubernetes/lease.ts';
import type { Log } from '../adapters/log.ts';
import { createSink } from './append.ts';
import type { Identity } from './identity.ts';
import { listWatch, type Reader } from './list-watch.ts';
import { applyChange, emptyLiveSet, type LiveChange, type LiveSet, type Position } from './live-set.ts';
import { countAll, type CountChange } from './metrics.ts';
import { readerOfJobs, readerOfPods } from './readers.ts';
import type { Scope } from './translate.ts';

export interface IngestNeeds {
  client: KubernetesClient;
  kafka: KafkaConnection;
  appender: Appender;
  log: Log;
  count: CountChange;
  scope: Scope;
  identity: Identity;
  leaseNamespace: string;
  auditMs: number;
  signal: AbortSignal;
}

/** Brings one cluster into the ledger, while no other ingester does. `onReady`: its Jobs and pods are listed, or another one is active. */
export async function ingest(needs: IngestNeeds, onReady: () => void): Promise<void> {
  const { client, log, signal, leaseNamespace: namespace } = needs;
  const identity = `${hostname()}_${process.pid}_${Date.now()}`;
  const name = `jobledger-ingester-${client.cluster.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-')}`;
  await whileLeading(
    { client, log, namespace, name, identity, signal },
    (leading) => follow(needs, leading, onReady),
    onReady,
  );
}

/** Jobs are listed before pods, so that the Jobs of orphans are known. */
async function follow(needs: IngestNeeds, signal: AbortSignal, onReady: () => void): Promise<void> {
  const { client, log, count, scope, auditMs, kafka } = needs;
  const records = await readLiveTopic(kafka);
  const live = liveSetOf(scope.cluster, records);
  const isOtherClaim = claimBefore(scope.cluster, records) !== scope.claim;
  if (isOtherClaim) forgetVersions(live);
  countAll(count, live);
  const sink = createSink({
    cluster: scope.cluster,
    appender: needs.appender,
    topics: kafka.topics,
    log,
    signal,
  });
  await announce(needs);
  const jobs = {
    client,
    log,
    path: '/apis/batch/v1/jobs',
    from: live.positions.jobs?.resourceVersion,
    auditMs,
    signal,
  };
  const pods = {
    client,
    log,
    path: '/api/v1/pods',
    from: live.positions.pods?.resourceVersion,
    ...(isOtherClaim && { relist: `the claim is ${scope.claim} now` }),
    auditMs,
    signal,
  };
  let followPods: () => void = () => undefined;
  const jobsListed = new Promise<void>((resolve) => {
    followPods = resolve;
  });
  const followingJobs = listWatch<Job>(jobs, onceListed(readerOfJobs(scope, live, sink, count), followPods));
  if (jobs.from !== undefined) followPods();
  await Promise.race([jobsListed, followingJobs]);
  const podsListed = (): void => {
    void sink.drained().then(() => rememberClaim(needs));
    onReady();
  };
  const followingPods = listWatch<Pod>(pods, onceListed(readerOfPods(scope, live, sink, count), podsListed));
  if (pods.from !== undefined && !isOtherClaim) onReady();
  await Promise.all([followingJobs, followingPods]);
}

function liveSetOf(cluster: string, records: readonly LiveRecord[]): LiveSet {
  const live = emptyLiveSet();
  for (const record of records)
    if (record.cluster === cluster) for (const change of changeOf(record)) applyChange(live, change);
  return live;
}

/** The topic holds what this program wrote, so its values have the shapes of the live set. */
function changeOf({ kind, key, value }: LiveRecord): LiveChange[] {
  if (kind === 'identity' || kind === 'claim') return [];
  if (kind === 'position')
    return [{ resource: 'position', of: key === 'jobs' ? 'jobs' : 'pods', position: value as Position }];
  return [{ resource: kind, uid: key, entry: value } as LiveChange];
}

/** The claim under which all pods were last listed. */
function claimBefore(cluster: string, records: readonly LiveRecord[]): unknown {
  return records.find((record) => record.cluster === cluster && record.kind === 'claim')?.value;
}

/**
 * Under another claim other pods concern us: orphans that match, and what carries a finalizer that is now ours to take
 * off. So each is recorded as it is, once more.
 */
function forgetVersions(live: LiveSet): void {
  for (const [uid, pod] of live.pods) live.pods.set(uid, { ...pod, resourceVersion: '0' });
}

async function rememberClaim({ appender, kafka, scope: { cluster, claim } }: IngestNeeds): Promise<void> {
  const record = encodeLiveRecord({ cluster, kind: 'claim', key: 'pods', value: claim });
  await appender.write(kafka.topics.live, [record]).catch(() => undefined);
}

function onceListed<T>(reader: Reader<T>, then: () => void): Reader<T> {
  return {
    ...reader,
    async listed(all, gapFrom) {
      await reader.listed(all, gapFrom);
      then();
    },
  };
}

async function announce({ scope: { cluster }, identity, appender, kafka }: IngestNeeds): Promise<void> {
  const time = new Date().toISOString();
  const event = sealed<ClusterConnected>({
    id: `${cluster}/connected/${identity.uid}/${time}`,
    type: 'cluster.connected',
    source: cluster,
    subject: cluster,
    time,
    data: { cluster, ...identity },
  });
  await appender.append([event]);
  await appender.write(kafka.topics.live, [
    encodeLiveRecord({ cluster, kind: 'identity', key: 'uid', value: identity.uid }),
  ]);
}
