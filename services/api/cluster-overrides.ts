import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import type { Log } from '../adapters/process/log.ts';
import {
  availabilityNow,
  overrideCluster,
  type Overridden,
  type OverrideRequest,
} from '../requests/override-cluster.ts';
import type { ClusterAvailability } from '../../workflows/placement/settings.ts';
import { createLatestReader } from './latest.ts';

/** Reads the overrides of the clusters' availability by people, and records new overrides. */
export interface ClusterOverrides {
  /** The overrides, by the name of the cluster; null while Kafka does not answer. */
  availability(): Promise<Readonly<Record<string, ClusterAvailability>> | null>;
  /** Records an override. @throws RefusedOverrideError, UnavailableError. */
  override(request: OverrideRequest): Promise<Overridden>;
}

/** The records are cached only briefly, because the page reads the overrides again soon after an override. */
const LASTS_MS = 500;

export function createClusterOverrides(kafka: KafkaConnection, log: Log): ClusterOverrides {
  const failed = 'the availability of the clusters cannot be read from Kafka';
  return {
    availability: createLatestReader(() => availabilityNow(kafka), { log, failed, lastsMs: LASTS_MS }),
    override: (request) => overrideCluster(kafka, request),
  };
}
