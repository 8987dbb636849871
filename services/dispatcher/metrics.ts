import type { Metrics } from '../adapters/metrics/metrics.ts';
import type { Assignments } from './assignment.ts';

/** How many Jobs wait to be told something: what the work queue `job` is upstream (J-11.4). */
export function showQueue(metrics: Metrics, assignments: Assignments): void {
  metrics.gauge(
    { name: 'workqueue_depth', help: 'Current depth of the work queue.', labels: ['name'] },
    () => {
      const mailboxes = [...assignments.values()].flatMap((each) => [...each.mailboxes.values()]);
      return [{ labels: { name: 'job' }, value: mailboxes.filter(({ dueAt }) => dueAt !== null).length }];
    },
  );
}
