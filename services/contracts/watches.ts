import { z } from 'zod';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { encodeLiveRecord, scanLiveTopic, type LiveRecord } from './live-topic.ts';

/** Which ingester watches a cluster, and since when; from the live topic. */
export interface ClusterWatches {
  /** Holder of the Lease; null: none leads, it was stopped, or it is of a version that does not record it. */
  leader: string | null;
  /** RFC 3339. */
  leadingSince: string | null;
  /** RFC 3339: when each watch last received an event or a bookmark that was recorded. Null: never. */
  jobsHeardAt: string | null;
  podsHeardAt: string | null;
}

const LEADER = z.object({ identity: z.string(), since: z.string() });
const POSITION = z.object({ time: z.string() });

/** The record that an ingester leads a cluster since now; null: that it stopped. Older versions skip it. */
export function leaderRecord(cluster: string, identity: string | null): ReturnType<typeof encodeLiveRecord> {
  const value = identity === null ? null : { identity, since: new Date().toISOString() };
  return encodeLiveRecord({ cluster, kind: 'leader', key: 'ingester', value });
}

/** By cluster. */
export async function readWatches(connection: KafkaConnection): Promise<Map<string, ClusterWatches>> {
  const found = new Map<string, ClusterWatches>();
  await scanLiveTopic(connection, (record) => {
    const before = found.get(record.cluster) ?? NOTHING;
    const after = { ...before, ...changeIn(record) };
    if (record.kind === 'leader' || record.kind === 'position') found.set(record.cluster, after);
  });
  return found;
}

const NOTHING: ClusterWatches = { leader: null, leadingSince: null, jobsHeardAt: null, podsHeardAt: null };

function changeIn({ kind, key, value }: LiveRecord): Partial<ClusterWatches> {
  if (kind === 'leader') {
    const { data } = LEADER.safeParse(value);
    return { leader: data?.identity ?? null, leadingSince: data?.since ?? null };
  }
  const heardAt = POSITION.safeParse(value).data?.time ?? null;
  if (key === 'jobs') return { jobsHeardAt: heardAt };
  return key === 'pods' ? { podsHeardAt: heardAt } : {};
}
