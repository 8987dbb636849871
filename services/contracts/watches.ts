import { z } from 'zod';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { encodeLiveRecord, scanLiveTopic, type LiveRecord } from './live-topic.ts';
import { continueFrom, isWatchOf, namespaceIn, watchName } from './watch-names.ts';

/** The ingester that watches a cluster, and since when; from the live topic. */
export interface ClusterWatches {
  /** Holder of the Lease; null: none leads, it was stopped, or it is of a version that does not record it. */
  leader: string | null;
  /** RFC 3339. */
  leadingSince: string | null;
  /** RFC 3339: when each watch last received an event or a bookmark that was recorded. Null: never. */
  jobsHeardAt: string | null;
  podsHeardAt: string | null;
}

const LEADER = z.object({
  identity: z.string(),
  since: z.string(),
  unwrittenSince: z.string().optional(),
  /** The namespaces watched; absent: the whole cluster. */
  namespaces: z.array(z.string()).optional(),
});
const POSITION = z.object({ time: z.string(), resourceVersion: z.string(), epoch: z.number().optional() });
type Position = z.infer<typeof POSITION>;

/** The record that an ingester writes when it begins to lead. */
export interface Leader {
  identity: string;
  /** What `unwrittenSince` found. */
  unwrittenSince: number | null;
  /** The namespaces that it watches; empty: the whole cluster. */
  namespaces: readonly string[];
}

/** The record that an ingester leads a cluster since now; null: that it stopped. Older versions skip it. */
export function leaderRecord(cluster: string, leader: Leader | null): ReturnType<typeof encodeLiveRecord> {
  const value = leader === null ? null : valueOf(leader);
  return encodeLiveRecord({ cluster, kind: 'leader', key: 'ingester', value });
}

function valueOf({ identity, unwrittenSince: unwritten, namespaces }: Leader): z.infer<typeof LEADER> {
  const since = new Date().toISOString();
  return {
    identity,
    since,
    ...(unwritten !== null && { unwrittenSince: new Date(unwritten).toISOString() }),
    ...(namespaces.length > 0 && { namespaces: [...namespaces] }),
  };
}

/**
 * The record of the position of a watch. Positions of namespaces have a separate kind: earlier versions would take any position
 * for that of the whole cluster.
 */
export function positionRecord(cluster: string, name: string, value: unknown): LiveRecord {
  const kind = namespaceIn(name) === undefined ? 'position' : 'namespace-position';
  return { cluster, kind, key: name, value };
}

export function isPosition({ kind }: LiveRecord): boolean {
  return kind === 'position' || kind === 'namespace-position';
}

/** By cluster. */
export async function readWatches(connection: KafkaConnection): Promise<Map<string, ClusterWatches>> {
  const found = new Map<string, Map<string, LiveRecord>>();
  await scanLiveTopic(connection, (record, key) => {
    if (record.kind !== 'leader' && !isPosition(record)) return;
    found.set(record.cluster, (found.get(record.cluster) ?? new Map()).set(key, record));
  });
  return new Map([...found].map(([cluster, records]) => [cluster, watchesIn([...records.values()])]));
}

/** From the records of one cluster. With several namespaces, the watch that was silent for longest counts. */
export function watchesIn(records: readonly LiveRecord[]): ClusterWatches {
  const leader = leaderIn(records);
  const positions = positionsIn(records);
  const heardAt = (resource: string): string | null => {
    const names = leader === undefined ? newestOf(positions, resource) : watchedBy(leader, resource);
    const times = names.flatMap((name) => positions[name]?.time ?? []);
    return times.length === 0 ? null : times.reduce((a, b) => (a < b ? a : b));
  };
  return {
    leader: leader?.identity ?? null,
    leadingSince: leader?.since ?? null,
    jobsHeardAt: heardAt('jobs'),
    podsHeardAt: heardAt('pods'),
  };
}

function watchedBy({ namespaces }: z.infer<typeof LEADER>, resource: string): string[] {
  return (namespaces ?? [undefined]).map((namespace) => watchName(resource, namespace));
}

/** Without a leader: the watch that was heard last. */
function newestOf(positions: Readonly<Record<string, Position>>, resource: string): string[] {
  return Object.keys(positions)
    .filter((name) => isWatchOf(resource, name))
    .toSorted((a, b) => Date.parse(positions[b]?.time ?? '') - Date.parse(positions[a]?.time ?? ''))
    .slice(0, 1);
}

function leaderIn(records: readonly LiveRecord[]): z.infer<typeof LEADER> | undefined {
  return LEADER.safeParse(records.find(({ kind }) => kind === 'leader')?.value).data;
}

function positionsIn(records: readonly LiveRecord[]): Record<string, Position> {
  const positions: Record<string, Position> = {};
  for (const record of records.filter(isPosition)) {
    const { data } = POSITION.safeParse(record.value);
    if (data !== undefined) positions[record.key] = data;
  }
  return positions;
}

/**
 * Since when (milliseconds) the live topic may lack events that ingesters have appended about these namespaces of a
 * cluster (none: the whole cluster), or about the last leader's namespaces: since their last written position, or
 * without one since the start of the first ingester that was killed before it wrote one. Null: the live topic is
 * complete.
 */
export function unwrittenSince(
  cluster: string,
  records: readonly LiveRecord[],
  namespaces: readonly string[] = [],
): number | null {
  const ofCluster = records.filter((record) => record.cluster === cluster);
  const leader = leaderIn(ofCluster);
  const positions = positionsIn(ofCluster);
  const watched = new Set([
    ...(namespaces.length === 0 ? [undefined] : namespaces),
    ...(leader === undefined ? [] : (leader.namespaces ?? [undefined])),
  ]);
  const times = [...watched].flatMap((namespace) =>
    ['jobs', 'pods'].flatMap((resource) => {
      const { position } = continueFrom(positions, resource, namespace);
      return position?.time ?? leader?.unwrittenSince ?? startOf(leader, namespace);
    }),
  );
  return times.length === 0 ? null : Math.min(...times.map(Date.parse));
}

/** The start of a leader, if it may have appended events of a namespace. */
function startOf(leader: z.infer<typeof LEADER> | undefined, namespace: string | undefined): string[] {
  if (leader === undefined) return [];
  const { namespaces, since } = leader;
  const isOther = namespaces !== undefined && namespace !== undefined && !namespaces.includes(namespace);
  return isOther ? [] : [since];
}
