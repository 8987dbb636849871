import type { Metrics } from '../adapters/metrics/metrics.ts';
import type { Mailbox } from './mailbox.ts';

/** How many Jobs wait to be told something: what the work queue `job` is upstream (J-11.4). */
export function showQueue(metrics: Metrics, mailboxes: ReadonlyMap<string, Mailbox>): void {
  metrics.gauge(
    { name: 'workqueue_depth', help: 'Current depth of the work queue.', labels: ['name'] },
    () => [
      {
        labels: { name: 'job' },
        value: [...mailboxes.values()].filter(({ dueAt }) => dueAt !== null).length,
      },
    ],
  );
}
