import { z } from 'zod';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { writeInstallation, type InstallationRecords } from './installation-records.ts';
import type { LiveRecord } from './live-topic.ts';

const EPOCH = z.object({
  epoch: z.number(),
  from: z.string(),
  to: z.string(),
  since: z.string(),
  until: z.string(),
});

/** The start of a cluster's present epoch, as in `cluster.restored`. */
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

const SHOWN = z.object({ epoch: z.number() });

/** The epoch of a cluster as the installation's records show it to workers, after the ingester has begun it; 0 before the first restore. */
export function shownEpoch(cluster: string, records: InstallationRecords): number {
  const value = records.get(`epoch/${cluster}`);
  if (value === undefined) return 0;
  try {
    return SHOWN.safeParse(JSON.parse(value)).data?.epoch ?? 0;
  } catch {
    return 0;
  }
}

/** Shows workers the epoch of a cluster; they notice within seconds. */
export function showEpoch(connection: KafkaConnection, cluster: string, epoch: number): Promise<void> {
  return writeInstallation(connection, `epoch/${cluster}`, { epoch });
}
