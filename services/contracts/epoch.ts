import { z } from 'zod';
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
