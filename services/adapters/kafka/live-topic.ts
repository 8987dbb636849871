import { z } from 'zod';
import type { KafkaConnection } from './connection.ts';
import { scan } from './scan.ts';

/** The records of the compacted topic, by cluster: `<cluster>/<kind>/<key>`. */
export interface LiveRecord {
  cluster: string;
  kind: 'jobs' | 'pods' | 'position' | 'identity' | 'claim';
  key: string;
  /** Null: gone. */
  value: unknown;
}

const KINDS = z.enum(['jobs', 'pods', 'position', 'identity', 'claim']);

/** The newest record of each key. Records that cannot be read are left out: a list finds out what they said. */
export async function readLiveTopic(connection: KafkaConnection): Promise<LiveRecord[]> {
  const records = new Map<string, LiveRecord>();
  await scan(connection, connection.topics.live, ({ key, value }) => {
    const record = recordOf(key, value);
    if (record === null) return;
    if (record.value === null) records.delete(key);
    else records.set(key, record);
  });
  return [...records.values()];
}

export function encodeLiveRecord({ cluster, kind, key, value }: LiveRecord): {
  key: string;
  value: string | null;
} {
  return { key: `${cluster}/${kind}/${key}`, value: value === null ? null : JSON.stringify(value) };
}

function recordOf(fullKey: string, value: Buffer | null): LiveRecord | null {
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
