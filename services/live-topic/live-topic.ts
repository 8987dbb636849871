import { z } from 'zod';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { readEnds, readBetween, type Offsets } from '../adapters/kafka/scan.ts';

const KINDS = z.enum([
  'jobs',
  'pods',
  'cronjobs',
  'nodes',
  'position',
  'identity',
  'connected',
  'claim',
  'leader',
  'mark',
  'identity-namespace',
  'epoch',
  'audit',
  'kubernetes-events',
]);

/** A record of the compacted live topic. Key: `<cluster>/<kind>/<key>`. A reader skips unknown kinds. */
export interface LiveRecord {
  cluster: string;
  kind: z.infer<typeof KINDS>;
  key: string;
  /** Null: a tombstone. */
  value: unknown;
}

/** The newest record of each key. Unreadable records are skipped, because a new list recovers their content. */
export async function readLiveTopic(connection: KafkaConnection): Promise<LiveRecord[]> {
  const records = new Map<string, LiveRecord>();
  await scanLiveTopic(connection, (record, key) => {
    if (record.value === null) records.delete(key);
    else records.set(key, record);
  });
  return [...records.values()];
}

/** Visits every readable record in order, including older records of a key that compaction has not removed yet. */
export function scanLiveTopic(connection: KafkaConnection, visit: VisitLiveRecord): Promise<void> {
  return followLiveTopic(connection, visit)();
}

/**
 * Works like `scanLiveTopic`, but each call continues after the records of the previous call. Only one call may run at
 * a time.
 */
export function followLiveTopic(connection: KafkaConnection, visit: VisitLiveRecord): () => Promise<void> {
  const topic = connection.topics.live;
  let from: Offsets = new Map();
  return async () => {
    const to = await readEnds(connection, topic);
    await readBetween(connection, topic, { from, to }, (records) => {
      for (const { key, value } of records) {
        const record = parseLiveRecord(key, value);
        if (record !== null) visit(record, key);
      }
      return Promise.resolve();
    });
    from = to;
  };
}

type VisitLiveRecord = (record: LiveRecord, key: string) => void;

export function encodeLiveRecord({ cluster, kind, key, value }: LiveRecord): {
  key: string;
  value: string | null;
} {
  return { key: `${cluster}/${kind}/${key}`, value: value === null ? null : JSON.stringify(value) };
}

function parseLiveRecord(fullKey: string, value: Buffer | null): LiveRecord | null {
  const [key = '', kind, ...cluster] = fullKey.split('/').toReversed();
  const known = KINDS.safeParse(kind);
  if (!known.success) return null;
  try {
    return {
      cluster: cluster.toReversed().join('/'),
      kind: known.data,
      key,
      value: value === null ? null : JSON.parse(value.toString()),
    };
  } catch {
    return null;
  }
}
