import type { SubscribeOptions } from '../kafka/subscribe.ts';
import type { Log } from '../log.ts';
import type { Metrics } from './metrics.ts';

/** What a reader of the ledger gives to `subscribe`, so that a partition which it had to stop is heard of. */
export type StopReport = Required<Pick<SubscribeOptions, 'onAssigned' | 'onStopped'>>;

/** Tells, by a line of the log and as long as it lasts by a metric, which partitions wait for a newer version. */
export function reportStopped(
  metrics: Metrics,
  { reader, topic, log }: { reader: string; topic: string; log: Log },
): StopReport {
  /** Of each assigned partition whether it is stopped. */
  const partitions = new Map<number, boolean>();
  metrics.gauge(
    {
      name: 'jobledger_stopped_partitions',
      help: 'Partitions that are not read on, because a newer version wrote the next record.',
      labels: ['reader', 'partition'],
    },
    () =>
      [...partitions].map(([partition, isStopped]) => ({
        labels: { reader, partition: String(partition) },
        value: isStopped ? 1 : 0,
      })),
  );
  return {
    onAssigned: (assigned) => {
      partitions.clear();
      for (const partition of assigned) partitions.set(partition, false);
    },
    onStopped: (partition, error) => {
      partitions.set(partition, true);
      log.error(
        { reader, topic, partition, error: error.message },
        `the ${reader} stops reading this partition: a newer version of Jobledger wrote the next record; start that version of the ${reader}, which goes on from here`,
      );
    },
  };
}
