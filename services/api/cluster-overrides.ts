import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import type { Log } from '../adapters/process/log.ts';
import {
  availabilityNow,
  overrideCluster,
  type Overridden,
  type OverrideRequest,
} from '../contracts/override-cluster.ts';
import type { ClusterAvailability } from '../../workflows/placement/settings.ts';
import { latestFrom } from './latest.ts';

/** The availability of the clusters, and its overrides by people. */
export interface ClusterOverrides {
  /** The overrides by the name of the cluster; null while Kafka does not answer. */
  availability(): Promise<Readonly<Record<string, ClusterAvailability>> | null>;
  /** Records an override. @throws RefusedOverrideError, UnavailableError. */
  override(request: OverrideRequest): Promise<Overridden>;
}

/** A page reads again soon after an override. */
const LASTS_MS = 500;

export function overridesInKafka(kafka: KafkaConnection, log: Log): ClusterOverrides {
  const failed = 'the availability of the clusters cannot be read from Kafka';
  return {
    availability: latestFrom(() => availabilityNow(kafka), { log, failed, lastsMs: LASTS_MS }),
    override: (request) => overrideCluster(kafka, request),
  };
}
