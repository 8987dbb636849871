import { dropOldest } from '../../adapters/drop-oldest.ts';
import type { LiveJob, LivePod } from '../live-set/live-set.ts';
import type { CountChange } from '../metrics/changes.ts';

/** The most deleted objects of each kind that are remembered. */
const MOST = 10_000;

/**
 * The Jobs and pods that were deleted last, by UID: the scheduler and the node controllers report Events about a pod
 * whose deletion they caused, and the watch of pods may show the deletion first.
 */
export interface DepartedObjects {
  jobs: Map<string, LiveJob>;
  pods: Map<string, LivePod>;
  /** Remembers the object that a change removes. Called before the change. */
  note: CountChange;
}

export function createDepartedObjects(): DepartedObjects {
  const [jobs, pods] = [new Map<string, LiveJob>(), new Map<string, LivePod>()];
  return {
    jobs,
    pods,
    note(before, change) {
      if (change.resource === 'jobs' && change.entry === null)
        remember(jobs, change.uid, before.jobs.get(change.uid));
      if (change.resource === 'pods' && change.entry === null)
        remember(pods, change.uid, before.pods.get(change.uid));
    },
  };
}

function remember<E>(departed: Map<string, E>, uid: string, entry: E | undefined): void {
  if (entry === undefined) return;
  departed.set(uid, entry);
  dropOldest(departed, MOST);
}
