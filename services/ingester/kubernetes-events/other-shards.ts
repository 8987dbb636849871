import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { followLiveTopic, type LiveRecord } from '../../live-topic/live-topic.ts';
import { applyChange, emptyLiveSet, type LiveChange, type LiveSet } from '../live-set/live-set.ts';

/** The most deleted objects that stay, because Events about them may come later. */
const MOST_DELETED = 10_000;

/** The objects that the ingesters of all shards have recorded, for the one that records the Events of all shards. */
export interface RecordedByAll {
  live: Pick<LiveSet, 'jobs' | 'pods' | 'positions'>;
  /** Reads the records that were written since the last call. */
  refresh(): Promise<void>;
}

export function followRecordedByAll(kafka: KafkaConnection, cluster: string): RecordedByAll {
  const { live, note } = collectRecorded(cluster);
  return { live, refresh: followLiveTopic(kafka, note) };
}

/**
 * Collects the Jobs, pods and positions of a cluster from the records of the live topic. The last `most` deleted objects
 * stay.
 */
export function collectRecorded(
  cluster: string,
  most = MOST_DELETED,
): { live: LiveSet; note: (record: LiveRecord, key: string) => void } {
  const live = emptyLiveSet();
  const deleted = new Map<string, LiveChange>();
  return {
    live,
    note({ cluster: of, kind, key: uid, value }, key) {
      if (of !== cluster) return;
      // The ingesters wrote the topic, so the values have the shapes of the live set.
      if (kind === 'position')
        live.positions[uid as keyof LiveSet['positions']] = value as LiveSet['positions']['jobs'] & {};
      if (kind !== 'jobs' && kind !== 'pods') return;
      const change = { resource: kind, uid, entry: value } as LiveChange;
      deleted.delete(key);
      if (value === null) deleted.set(key, change);
      else applyChange(live, change);
      const [oldest] = deleted.size > most ? deleted : [];
      if (oldest === undefined) return;
      deleted.delete(oldest[0]);
      applyChange(live, oldest[1]);
    },
  };
}
