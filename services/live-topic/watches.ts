import { z } from 'zod';
import { VERSION } from '../adapters/process/package-dir.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { encodeLiveRecord, followLiveTopic, type LiveRecord } from './live-topic.ts';
import {
  positionToContinue,
  watchesResource,
  partIn,
  shardPart,
  partsOverlap,
  shardIn,
  watchName,
  type Part,
} from '../shards/watch-names.ts';
import { shardsOverlap, type Shard } from '../shards/shards.ts';

/** The ingesters that watch a cluster, according to the live topic. */
export interface ClusterWatches {
  /**
   * The holder of the Lease, or of each shard's Lease; null when at least one shard has no leader, or its leader was
   * stopped.
   */
  leader: string | null;
  /** The time since which the ingesters lead, in RFC 3339; with several shards, the latest of their times. */
  leadingSince: string | null;
  /** All shards of the cluster, in order; empty while no ingester leads. */
  shards: ShardWatch[];
  /** The paths of the additional fields that the ingesters record; null while no ingester leads. */
  recordedFields: string[] | null;
  /** The RFC 3339 time at which each watch last received a recorded event or bookmark. Null: never. */
  jobsReceivedAt: string | null;
  podsReceivedAt: string | null;
}

/** A shard of a cluster, and the ingester that leads it; null without a leader. */
export interface ShardWatch {
  /** From 1. */
  shard: number;
  /** The holder of the Lease. */
  leader: string | null;
  /** RFC 3339. */
  since: string | null;
  /** The version of the ingester; null without a leader. */
  version: string | null;
}

const LEADER = z.object({
  identity: z.string(),
  since: z.string(),
  version: z.string(),
  unwrittenSince: z.string().optional(),
  /** The watched namespaces; absent for the whole cluster, or the whole shard. */
  namespaces: z.array(z.string()).optional(),
  recordedFields: z.array(z.string()),
});
type LeaderValue = z.infer<typeof LEADER>;
const POSITION = z.object({ time: z.string(), resourceVersion: z.string(), epoch: z.number().optional() });
type Position = z.infer<typeof POSITION>;

/** The record that an ingester writes when it begins to lead. */
export interface Leader {
  identity: string;
  /** What `unwrittenSince` found. */
  unwrittenSince: number | null;
  /** The parts of the cluster that the ingester watches. */
  parts: readonly Part[];
  /** The paths of the additional fields that the ingester records. */
  recordedFields: readonly string[];
}

/** The record that an ingester leads a shard from now on. `leader` is null when the ingester has stopped. */
export function leaderRecord(
  cluster: string,
  shard: Shard,
  leader: Leader | null,
): ReturnType<typeof encodeLiveRecord> {
  const value = leader === null ? null : leaderValue(leader);
  return encodeLiveRecord({ cluster, kind: 'leader', key: watchName('ingester', shardPart(shard)), value });
}

function leaderValue({ identity, unwrittenSince: unwritten, parts, recordedFields }: Leader): LeaderValue {
  const since = new Date().toISOString();
  return {
    identity,
    since,
    version: VERSION,
    recordedFields: [...recordedFields],
    ...(unwritten !== null && { unwrittenSince: new Date(unwritten).toISOString() }),
    ...(parts.every((part) => shardIn(part) === null) && { namespaces: parts.map(String) }),
  };
}

/** The record of the position of a watch. */
export function positionRecord(cluster: string, name: string, value: unknown): LiveRecord {
  return { cluster, kind: 'position', key: name, value };
}

export function isPosition({ kind }: Pick<LiveRecord, 'kind'>): boolean {
  return kind === 'position';
}

/** The watches by cluster. @throws UnavailableError. */
export function readWatches(connection: KafkaConnection): Promise<Map<string, ClusterWatches>> {
  return followWatches(connection)();
}

/** Works like `readWatches`, but each later call reads only newer records. Only one call may run at a time. */
export function followWatches(connection: KafkaConnection): () => Promise<Map<string, ClusterWatches>> {
  const found = new Map<string, Map<string, LiveRecord>>();
  const readOn = followLiveTopic(connection, (record, key) => {
    if (record.kind !== 'leader' && !isPosition(record)) return;
    found.set(record.cluster, (found.get(record.cluster) ?? new Map()).set(key, record));
  });
  return async () => {
    await readOn();
    return new Map([...found].map(([cluster, records]) => [cluster, watchesIn([...records.values()])]));
  };
}

/**
 * The watches in the records of one cluster. Among several watches of a resource, the watch that was silent for longest counts.
 */
export function watchesIn(records: readonly LiveRecord[]): ClusterWatches {
  const leaders = presentLeaders(leadersIn(records));
  const positions = positionsIn(records);
  const receivedAt = (resource: string): string | null => {
    const names =
      leaders.length === 0
        ? newestWatch(positions, resource)
        : leaders.flatMap(({ parts }) => parts.map((part) => watchName(resource, part)));
    const times = names.flatMap((name) => positions[name]?.time ?? []);
    return times.length === 0 ? null : times.reduce((a, b) => (a < b ? a : b));
  };
  const [first] = leaders;
  const areAll = leaders.length === first?.shard.of;
  return {
    leader: areAll ? leaders.map(({ identity }) => identity).join(' ') : null,
    leadingSince:
      leaders
        .map(({ since }) => since)
        .toSorted()
        .at(-1) ?? null,
    shards: shardWatches(leaders),
    recordedFields:
      first === undefined
        ? null
        : [...new Set(leaders.flatMap(({ recordedFields: fields }) => fields))].toSorted(),
    jobsReceivedAt: receivedAt('jobs'),
    podsReceivedAt: receivedAt('pods'),
  };
}

/** All shards of the cluster with their leaders, in order. */
function shardWatches(leaders: readonly RecordedLeader[]): ShardWatch[] {
  return Array.from({ length: leaders[0]?.shard.of ?? 0 }, (_, at) => {
    const leader = leaders.find(({ shard }) => shard.index === at + 1);
    const { identity = null, since = null, version = null } = leader ?? {};
    return { shard: at + 1, leader: identity, since, version };
  });
}

/**
 * The leaders for the latest number of shards; other leaders have ended, even if a killed leader did not record its end.
 */
function presentLeaders(leaders: readonly RecordedLeader[]): RecordedLeader[] {
  const last = leaders.toSorted((a, b) => (a.since < b.since ? -1 : 1)).at(-1);
  return leaders
    .filter(({ shard }) => shard.of === last?.shard.of)
    .toSorted((a, b) => a.shard.index - b.shard.index);
}

/** The name of the watch that received an event last, which counts when no ingester leads. */
function newestWatch(positions: Readonly<Record<string, Position>>, resource: string): string[] {
  return Object.keys(positions)
    .filter((name) => watchesResource(resource, name))
    .toSorted((a, b) => Date.parse(positions[b]?.time ?? '') - Date.parse(positions[a]?.time ?? ''))
    .slice(0, 1);
}

type RecordedLeader = Omit<LeaderValue, 'namespaces'> & { shard: Shard; parts: Part[] };

/** The leaders in the records of one cluster. */
function leadersIn(records: readonly LiveRecord[]): RecordedLeader[] {
  return records.flatMap(({ kind, key, value }) => {
    const { data } = kind === 'leader' ? LEADER.safeParse(value) : {};
    const shard = shardIn(partIn(key));
    if (data === undefined || shard === null) return [];
    const { namespaces, ...leader } = data;
    return { ...leader, shard, parts: namespaces ?? [shardPart(shard)] };
  });
}

/** The positions of the watches in the records of one cluster, by the name of the watch. */
function positionsIn(records: readonly LiveRecord[]): Record<string, Position> {
  const positions: Record<string, Position> = {};
  for (const record of records.filter(isPosition)) {
    const { data } = POSITION.safeParse(record.value);
    if (data !== undefined) positions[record.key] = data;
  }
  return positions;
}

/**
 * The time in milliseconds since which the live topic may lack events that ingesters have appended about the given
 * parts of a cluster, or about the parts of the last leaders of the shard; null when the live topic is complete. This
 * time is that of the last written position. Without a position, it is the start of the first ingester that was killed
 * before it wrote a position.
 */
export function unwrittenSince(
  cluster: string,
  records: readonly LiveRecord[],
  { shard, parts }: { shard: Shard; parts: readonly Part[] },
): number | null {
  const ofCluster = records.filter((record) => record.cluster === cluster);
  const leaders = leadersIn(ofCluster).filter((leader) => shardsOverlap(leader.shard, shard));
  const positions = positionsIn(ofCluster);
  const watched = new Set([...parts, ...leaders.flatMap((leader) => leader.parts)]);
  const times = [...watched].flatMap((part) =>
    ['jobs', 'pods'].flatMap((resource) => {
      const { position } = positionToContinue(positions, resource, part);
      return position?.time ?? leaders.flatMap((leader) => watchStart(leader, part));
    }),
  );
  return times.length === 0 ? null : Math.min(...times.map(Date.parse));
}

/** The time since which the live topic may lack events that a leader appended about a part. */
function watchStart({ unwrittenSince: unwritten, parts, since }: RecordedLeader, part: Part): string[] {
  if (unwritten !== undefined) return [unwritten];
  return parts.some((each) => partsOverlap(each, part)) ? [since] : [];
}
