import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { followLiveTopic } from '../../live-topic/live-topic.ts';
import { applyChange, emptyLiveSet, type LiveChange, type LiveSet } from '../live-set/live-set.ts';

/** The objects that the ingesters of all shards have recorded, for the one that records the Events of all shards. */
export interface RecordedByAll {
  live: Pick<LiveSet, 'jobs' | 'pods' | 'positions'>;
  /** Reads the records that were written since the last call. */
  refresh(): Promise<void>;
}

/** The most deleted objects that stay, because Events about them may come later. */
const MOST_DELETED = 10_000;

export function followRecordedByAll(kafka: KafkaConnection, cluster: string): RecordedByAll {
  const live = emptyLiveSet();
  const deleted = new Map<string, LiveChange>();
  const remove = (key: string): void => {
    const change = deleted.get(key);
    if (change !== undefined) applyChange(live, change);
    deleted.delete(key);
  };
  const refresh = followLiveTopic(kafka, (record, key) => {
    if (record.cluster !== cluster) return;
    // The ingesters wrote the topic, so the values have the shapes of the live set.
    const { kind, key: uid, value } = record;
    if (kind === 'position')
      live.positions[uid as keyof LiveSet['positions']] = value as LiveSet['positions']['jobs'] & {};
    if (kind !== 'jobs' && kind !== 'pods') return;
    const change = { resource: kind, uid, entry: value } as LiveChange;
    deleted.delete(key);
    if (value !== null) return applyChange(live, change);
    deleted.set(key, change);
    if (deleted.size > MOST_DELETED) for (const oldest of deleted.keys()) return remove(oldest);
  });
  return { live, refresh };
}
