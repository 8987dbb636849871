import { isClaimed, type Claim } from '../../../workflows/kubernetes/names.ts';
import type { Metrics } from '../../adapters/metrics/metrics.ts';
import { emptyLiveSet, type LiveChange, type LiveSet } from '../live-set/live-set.ts';

/** Counts one change. `before` is the live set before the change. */
export type CountChange = (before: LiveSet, change: LiveChange) => void;

/** The most controllers that the metrics name, because any user can write any name into a Job. */
const MAX_CONTROLLERS = 50;

/** The metrics that upstream updates when its informer caches change (J-11.3); the live set is our cache. */
export function changeCounter(metrics: Metrics, claim: Claim): CountChange {
  const external = metrics.counter({
    name: 'job_controller_jobs_by_external_controller_total',
    help: 'The number of Jobs seen whose spec.managedBy names another controller.',
    labels: ['controller_name'],
  });
  const named = new Set<string>();
  const terminated = metrics.counter({
    name: 'job_controller_terminated_pods_tracking_finalizer_total',
    help: 'The number of terminated pods that got (add) or lost (delete) a tracking finalizer.',
    labels: ['event'],
  });
  return (before, change) => {
    if (change.resource === 'jobs') {
      const { managedBy } = change.entry ?? {};
      if (managedBy === undefined || isClaimed(claim, managedBy) || before.jobs.has(change.uid)) return;
      if (named.size < MAX_CONTROLLERS) named.add(managedBy);
      external({ controller_name: named.has(managedBy) ? managedBy : 'other' });
    }
    if (change.resource === 'pods') {
      const [was, is] = [before.pods.get(change.uid)?.unfreed === true, change.entry?.unfreed === true];
      if (was !== is) terminated({ event: is ? 'add' : 'delete' });
    }
  };
}

/** Counts the objects of the initial live set as added, like a cache that fills (J-11.3). */
export function countInitialLiveSet(count: CountChange, { jobs, pods }: LiveSet): void {
  const none = emptyLiveSet();
  for (const [uid, entry] of jobs) count(none, { resource: 'jobs', uid, entry });
  for (const [uid, entry] of pods) count(none, { resource: 'pods', uid, entry });
}
