import type { ObjectRef } from '../../../workflows/activities.ts';
import type { AnySettings } from '../../../workflows/kind.ts';
import type { Log } from '../../adapters/process/log.ts';
import {
  askToHandOver,
  isPolled,
  isRunning,
  runsOfOtherBuilds,
  takeOver,
} from '../../adapters/temporal/builds.ts';
import type { JobWorkflows } from '../../adapters/temporal/job-workflows.ts';
import { taskQueue } from '../../adapters/temporal/names.ts';
import { takeOverOtherRuns } from './take-over.ts';

/** Calls `takeOverOthers` for the runs in Temporal. */
export function takeOverOtherBuilds(
  workflows: JobWorkflows,
  settingsFor: (job: ObjectRef) => AnySettings,
  given: { log: Log; signal: AbortSignal },
): Promise<boolean> {
  return takeOverOtherRuns({
    others: () => runsOfOtherBuilds(workflows),
    getQueue: (cluster) => taskQueue(cluster, workflows.build),
    isPolled: (queue) => isPolled(workflows, queue),
    askToHandOver: (run) => askToHandOver(workflows, run, settingsFor(run.job)),
    isRunning: (run) => isRunning(workflows, run),
    takeOver: (run) => takeOver(workflows, run, settingsFor(run.job)),
    ...given,
  });
}
