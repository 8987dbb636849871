import { isDeepStrictEqual } from 'node:util';
import { needsRun } from '../../../workflows/kind.ts';
import type { Assignment } from '../assignments/assignment.ts';
import { followsClusters } from '../placement.ts';
import { listAssignedJobs, filterByRunning, type EnsureWorkflowsDependencies } from './ensure-workflows.ts';

interface SignalSettingsDependencies extends Pick<
  EnsureWorkflowsDependencies,
  'assignments' | 'settings' | 'running' | 'signal'
> {
  /** The present availability of the clusters. */
  message: () => object;
}

/**
 * Signals the settings of this process to the runs that get no other signal when the settings change. These are the
 * runs that wait for the deletion of their finished Job, or would wait under these settings, and the runs of placed
 * Jobs, which follow the availability of a cluster.
 *
 * The caller calls the returned function often. Each call signals the runs that were assigned since the last success,
 * and all runs when the availability of a cluster has changed. A call throws the errors of `running` and `signal`; the
 * next call then signals all of these runs again.
 */
export function createSignalSettings({
  assignments,
  settings,
  running,
  signal,
  message,
}: SignalSettingsDependencies): (aborted: AbortSignal) => Promise<void> {
  let signalled = new WeakSet<Assignment>();
  let known = message();
  return async (aborted) => {
    const now = message();
    if (!isDeepStrictEqual(now, known)) signalled = new WeakSet();
    known = now;
    const due = [...assignments.values()].filter((each) => !signalled.has(each));
    const jobs = listAssignedJobs(due);
    // These runs are signalled without a listing, which may lack the newest runs, because no placed Job may miss a
    // drain.
    const open = jobs.filter((job) => followsClusters(job.known.ref) && !job.known.isFinished);
    const resting = jobs.filter(({ known: job }) =>
      followsClusters(job.ref) ? job.isFinished : job.expires,
    );
    const existing = await filterByRunning(resting, running, ({ key }, ids) => ids.has(key));
    for (const { assignment, known: job } of [...open, ...existing]) {
      if (aborted.aborted) return;
      if (assignment.isOver) continue;
      // The list may still contain a run that ended under earlier settings because its Job had nothing to wait for.
      const start = job.isFinished && needsRun(settings, job);
      await signal(job.ref, [], { recall: true, start });
    }
    for (const assignment of due) signalled.add(assignment);
  };
}
