import { z } from 'zod';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import {
  parseRecord,
  writeInstallationRecord,
  type InstallationRecords,
} from '../installation/installation-records.ts';
import type { LiveRecord } from './live-topic.ts';

const EPOCH = z.object({
  epoch: z.number(),
  from: z.string(),
  to: z.string(),
  since: z.string(),
  until: z.string(),
});

/** The number and the start of a cluster's present epoch, as in the event `cluster.restored`. */
export type Epoch = z.infer<typeof EPOCH>;

/** The record of the epoch of a cluster. */
export function epochRecord(cluster: string, value: Epoch): LiveRecord {
  return { cluster, kind: 'epoch', key: 'versions', value };
}

/** The epoch of a cluster; null before its API server was restored for the first time. */
export function epochIn(cluster: string, records: readonly LiveRecord[]): Epoch | null {
  const found = records.find((record) => record.cluster === cluster && record.kind === 'epoch');
  return EPOCH.safeParse(found?.value).data ?? null;
}

/**
 * The epoch of a cluster in the records of the installation; null before the first restore. Workers read the epoch from
 * these records, and so does the ingester when the live topic is lost.
 */
export function recordedEpoch(cluster: string, records: InstallationRecords): Epoch | null {
  return parseRecord(records.get(`epoch/${cluster}`), EPOCH);
}

/** The number of the recorded epoch; 0 before the first restore. */
export function recordedEpochNumber(cluster: string, records: InstallationRecords): number {
  return recordedEpoch(cluster, records)?.epoch ?? 0;
}

/** Records the epoch of a cluster for the workers, which read it within seconds. */
export function publishEpoch(connection: KafkaConnection, cluster: string, epoch: Epoch): Promise<void> {
  return writeInstallationRecord(connection, `epoch/${cluster}`, epoch);
}

/** The records of the live topic, with the epoch in the records of the installation when the live topic was lost. */
export function withEpoch(
  cluster: string,
  live: readonly LiveRecord[],
  recorded: Epoch | null,
): LiveRecord[] {
  if (recorded === null || epochIn(cluster, live) !== null) return [...live];
  return [...live, epochRecord(cluster, recorded)];
}
