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

const LEADER = z.object({ identity: z.string(), since: z.string(), unwrittenSince: z.string().optional() });
const POSITION = z.object({ time: z.string() });

/**
 * The record that an ingester leads a cluster since now, with what `unwrittenSince` found at its start; null: that it
 * stopped. Older versions skip it.
 */
export function leaderRecord(
  cluster: string,
  leader: { identity: string; unwrittenSince: number | null } | null,
): ReturnType<typeof encodeLiveRecord> {
  const value = leader === null ? null : valueOf(leader.identity, leader.unwrittenSince);
  return encodeLiveRecord({ cluster, kind: 'leader', key: 'ingester', value });
}

function valueOf(identity: string, unwritten: number | null): z.infer<typeof LEADER> {
  const since = new Date().toISOString();
  return {
    identity,
    since,
    ...(unwritten !== null && { unwrittenSince: new Date(unwritten).toISOString() }),
  };
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

/**
 * Since when (milliseconds) the live topic may lack what ingesters have appended about a cluster: since its position was
 * written last, and without one since the start of the first ingester that was killed before it wrote one. Null: nothing
 * was appended, or everything was written.
 */
export function unwrittenSince(cluster: string, records: readonly LiveRecord[]): number | null {
  const valueIn = (kind: LiveRecord['kind'], key: string): unknown =>
    records.find((record) => record.cluster === cluster && record.kind === kind && record.key === key)?.value;
  const leader = LEADER.safeParse(valueIn('leader', 'ingester')).data;
  const times = ['jobs', 'pods'].flatMap((resource) => {
    const { data: position } = POSITION.safeParse(valueIn('position', resource));
    return position?.time ?? leader?.unwrittenSince ?? leader?.since ?? [];
  });
  return times.length === 0 ? null : Math.min(...times.map(Date.parse));
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
