import type { SubscribeOptions } from '../kafka/subscription.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from './metrics.ts';

/** The callbacks of `subscribe` that report stopped partitions. */
export type StopReport = Required<Pick<SubscribeOptions, 'onAssigned' | 'onStopped'>>;

/** Reports partitions that wait for a newer version: one log line when they stop, and a gauge as long as they wait. */
export function reportStopped(
  metrics: Metrics,
  { reader, topic, log }: { reader: string; topic: string; log: Log },
): StopReport {
  /** The value of the gauge for each assigned partition: 1 when the partition is stopped. */
  const partitions = new Map<number, boolean>();
  metrics.gauge(
    {
      name: 'jobledger_stopped_partitions',
      help: '1 while the reader has stopped at a record of the partition that a newer version wrote.',
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
        `the ${reader} stops reading this partition: a newer version of Jobledger wrote the next record; start that version of the ${reader}, which continues from here`,
      );
    },
  };
}
