import type { Appender, Permit } from '../../adapters/kafka/append.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Leadership } from '../../adapters/kubernetes/lease.ts';
import type { Refusals } from '../../adapters/kubernetes/refusals.ts';
import type { Log } from '../../adapters/process/log.ts';
import { epochIn, withEpoch, type Epoch } from '../../live-topic/epoch.ts';
import { readLiveTopic, type LiveRecord } from '../../live-topic/live-topic.ts';
import type { OlderAnswer } from '../../live-topic/older-answer.ts';
import { unwrittenSince } from '../../live-topic/watches.ts';
import { hasNamespace, type Shard } from '../../shards/shards.ts';
import { shardPart, type Part } from '../../shards/watch-names.ts';
import { leasePermit } from '../append/append-queue.ts';
import type { AuditLog } from '../audit-log/record-audit-log.ts';
import type { CountChange } from '../metrics/changes.ts';
import type { WatchMetrics } from '../metrics/watches.ts';
import type { TranslationScope } from '../translate/translate.ts';
import { readIdentity, requireOneName, type Identity } from './identity.ts';
import { findReadableResources, type Readable } from './optional-resources.ts';

/** The dependencies of the ingester of one cluster, which are the same in each term of the Lease. */
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

/** The version up to which the events of each watch are in the ledger. The Lease shows these versions to the worker. */
export interface Reached {
  epoch: number;
  versions: Map<string, string>;
}

/** The dependencies while this ingester holds the Lease; `holder` is its name in the Lease. */
export type LeaderDependencies = IngestDependencies & { holder: string; reached: Reached };

/**
 * A term of the Lease in one epoch of the cluster. The scope includes the epoch, and the signal is aborted when the term
 * or the epoch ends.
 */
export interface Term extends LeaderDependencies {
  /** The watched parts of the shard. */
  parts: readonly Part[];
  /** The records of the live topic at the beginning of the term. */
  records: readonly LiveRecord[];
  identity: Identity;
  /** The optional resources that this term records. */
  readable: Readable;
  /** The epoch of the cluster; null before the API server was restored for the first time. */
  epoch: Epoch | null;
  /** The time since which the live topic may lack appended objects, in milliseconds; null when it is complete. */
  unwrittenSince: number | null;
  /** False when another ingester may be active, so that nothing may be recorded. */
  isHeld: () => boolean;
  /** The permit of each request to Kafka; throws when another ingester may be active. */
  permit: Permit;
}

/**
 * Opens a term: reads the records that earlier ingesters left in the live topic, checks the identity of the cluster, and
 * reports the epoch of the records. @throws InputError if the cluster must not be recorded under this name;
 * UnavailableError.
 */
export async function openTerm(
  dependencies: LeaderDependencies,
  { signal, isHeld }: Leadership,
): Promise<Term> {
  const { client, log, namespaces, shard, leaseNamespace, kafka } = dependencies;
  const { cluster } = dependencies.scope;
  const parts = shardParts(shard, namespaces);
  const records = withEpoch(cluster, await readLiveTopic(kafka), dependencies.recordedEpoch());
  // Another cluster may have appeared at this address after the first check.
  const identity = await readIdentity(client, { known: records, leaseNamespace, namespaces, log, signal });
  requireOneName(cluster, identity, records);
  const readable = await findReadableResources(client, { parts, log, signal });
  const epoch = epochIn(cluster, records);
  dependencies.onEpoch(epoch, signal);
  return {
    ...dependencies,
    scope: { ...dependencies.scope, ...(epoch !== null && { epoch: epoch.epoch }) },
    parts,
    records,
    identity,
    readable,
    epoch,
    unwrittenSince: unwrittenSince(cluster, records, { shard, parts }),
    isHeld,
    permit: leasePermit(isHeld),
    signal,
  };
}

/** The watched parts of a shard: the given namespaces in the shard, or the whole shard. */
function shardParts(shard: Shard, namespaces: readonly string[]): Part[] {
  if (namespaces.length === 0) return [shardPart(shard)];
  return namespaces.filter((namespace) => hasNamespace(shard, namespace));
}
