import type { ClusterAvailability } from '../../workflows/placement/settings.ts';
import { InputError } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { unknownClusterText } from '../read-model/queries/clusters.ts';
import type { ClusterVerb } from './cluster-verbs.ts';
import { availabilityIn, recordOverride } from '../live-topic/cluster-availability.ts';
import { readInstallationRecords } from '../installation/installation-records.ts';
import { readLiveTopic } from '../live-topic/live-topic.ts';
import { requireOwnLedger } from '../installation/stamp.ts';

export interface OverrideRequest {
  verb: ClusterVerb;
  cluster: string;
  by: string;
  /** True to permit `lost` although the cluster answers. */
  force: boolean;
}

/** The override is refused. `isUnknown` is true when no cluster with this name was ever connected. */
export class RefusedOverrideError extends InputError {
  override readonly name = 'RefusedOverrideError';
  readonly isUnknown: boolean;

  constructor(message: string, { isUnknown = false } = {}) {
    super(message);
    this.isUnknown = isUnknown;
  }
}

/** The change of a cluster's availability by an override. */
type Change = (before: ClusterAvailability, by: { by: string; at: number }) => ClusterAvailability;

const CHANGES: Readonly<Record<ClusterVerb, Change>> = {
  cordon: (before, by) => ({ ...before, cordoned: by }),
  drain: (before, by) => ({ ...before, cordoned: { ...by, drain: true } }),
  uncordon: ({ cordoned: _cordoned, ...before }) => before,
  lost: (before, by) => ({ ...before, lost: by }),
  found: ({ lost: _lost, ...before }) => before,
};

/** The availability after an override. `isChanged` is false when no override had to be removed, and nothing was recorded. */
export interface Overridden {
  availability: ClusterAvailability;
  isChanged: boolean;
}

/**
 * Records an override of a cluster.
 * @throws RefusedOverrideError, and UnavailableError when Kafka does not answer.
 */
export async function overrideCluster(
  kafka: KafkaConnection,
  { verb, cluster, by, force }: OverrideRequest,
): Promise<Overridden> {
  const before = await readAvailability(kafka, cluster);
  if (!hasEffect(verb, before)) return { availability: before, isChanged: false };
  if (verb === 'lost' && before.silentSince === undefined && !force)
    throw new RefusedOverrideError(
      `the cluster ${cluster} answers, so its Jobs can be stopped: drain the cluster; with force, its Jobs start in other clusters without being stopped, and may run twice`,
    );
  const after = CHANGES[verb](before, { by, at: Date.now() });
  const { silentSince: _silent, ...override } = after;
  await recordOverride(kafka, cluster, override);
  return { availability: after, isChanged: true };
}

/** False for a verb that removes an override that nobody has recorded. */
export function hasEffect(verb: ClusterVerb, { cordoned, lost }: ClusterAvailability): boolean {
  if (verb === 'uncordon') return cordoned !== undefined;
  return verb !== 'found' || lost !== undefined;
}

/** The availability of every cluster now. @throws UnavailableError when Kafka does not answer. */
export async function availabilityNow(
  kafka: KafkaConnection,
): Promise<Readonly<Record<string, ClusterAvailability>>> {
  return availabilityIn(await readInstallationRecords(kafka));
}

/** Reads the availability of one cluster. @throws RefusedOverrideError for a cluster that was never connected. */
async function readAvailability(kafka: KafkaConnection, cluster: string): Promise<ClusterAvailability> {
  await requireOwnLedger(kafka);
  const recorded = (await readLiveTopic(kafka)).map((record) => record.cluster);
  // Records of the installation belong to no cluster.
  const known = new Set(recorded.filter((name) => name !== ''));
  if (!known.has(cluster))
    throw new RefusedOverrideError(unknownClusterText(cluster, [...known].toSorted()), { isUnknown: true });
  return (await availabilityNow(kafka))[cluster] ?? {};
}
