import type { Metrics } from '../adapters/metrics/metrics.ts';
import type { Assignments } from './assignments/assignment.ts';

/** The number of Jobs that wait for a signal; corresponds to the work queue `job` upstream (J-11.4). */
export function showQueueDepth(metrics: Metrics, assignments: Assignments): void {
  metrics.gauge(
    { name: 'workqueue_depth', help: 'Current depth of the work queue.', labels: ['name'] },
    () => {
      const mailboxes = [...assignments.values()].flatMap((each) => [...each.mailboxes.values()]);
      return [{ labels: { name: 'job' }, value: mailboxes.filter(({ dueAt }) => dueAt !== null).length }];
    },
  );
}
