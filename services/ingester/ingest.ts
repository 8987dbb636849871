import { hostname } from 'node:os';
import { UnavailableError } from '../adapters/errors.ts';
import { NOT_ACQUIRED, whileLeading, type Leadership } from '../adapters/kubernetes/lease.ts';
import { pause } from '../adapters/waiting/pause.ts';
import { logFailures } from '../adapters/waiting/retry.ts';
import { leaderRecord } from '../live-topic/watches.ts';
import { leaseName } from '../shards/lease-name.ts';
import { watchedAnnotations } from '../shards/watched.ts';
import { leasePermit } from './append/append-queue.ts';
import { recover } from './recovery/recover.ts';
import { leaseTrouble } from './terms/lease-trouble.ts';
import {
  openTerm,
  type IngestDependencies,
  type LeaderDependencies,
  type Reached,
} from './terms/open-term.ts';
import { findOtherShards } from './terms/other-shards.ts';
import { followCluster } from './watch/follow-cluster.ts';

/** The longest pause before the next look for ingesters of another number of shards, in milliseconds. */
const OTHER_SHARDS_MS = 1000;
const OTHER_SHARDS =
  'an ingester of another number of shards is active, so this ingester waits until the other ingester has stopped (docs/operate/scale.md)';

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
 * Watches the whole shard, or each of the given namespaces in the shard, until the term ends. When the API server of the
 * cluster was restored, the watches begin again in a new epoch. They also begin again when the account may read other
 * optional resources.
 */
async function watchCluster(
  dependencies: LeaderDependencies,
  leadership: Leadership,
  onReady: () => void,
): Promise<void> {
  while (!leadership.signal.aborted) {
    const ended = new AbortController();
    const signal = AbortSignal.any([leadership.signal, ended.signal]);
    const term = await openTerm(dependencies, { ...leadership, signal });
    await followCluster(term, recover(term), { onReady, ended });
  }
}
