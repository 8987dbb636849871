import { failureCause, isRunning, podWait } from '../../read-model/situation/pod-causes.ts';
import { FURTHER, jobSituation } from '../../read-model/situation/job-situation.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import type { PodSummary } from '../../read-model/tables/pod-summary.ts';
import type { PodRow } from '../../read-model/tables/pods.ts';
import { findPod, type JobRows } from './job-rows.ts';

/** The columns of a Job that was deleted before it ended. `job_statuses` keeps the last status of such a Job. */
const NO_STATUS = { kubectl_status: 'Deleted', active: 0, ready: 0, terminating: 0 } as const;

/** Updates the activity of a Job's pods from pod rows that just changed, and the resulting status of the Job. */
export function foldSituation(jobRows: JobRows, job: JobRow, pods: readonly PodRow[]): JobRow {
  const pod_summary = pods.reduce(
    (summary, pod) => summaryAfter(summary, groupOfPod(findPod(jobRows, pod.uid)), groupOfPod(pod)),
    job.pod_summary,
  );
  const found = jobSituation({ ...job, pod_summary });
  const situation = { ...found, pod_summary, ...(found.status === 'Deleted' && NO_STATUS) };
  const isSame = Object.entries(situation).every(([name, value]) => job[name as keyof JobRow] === value);
  return isSame ? job : { ...job, ...situation };
}

/** The group in which a pod is counted. */
interface Place {
  isRunning: boolean;
  cause: string | null;
  wait: string | null;
}

/** The group in which a pod is counted. */
function groupOfPod(pod: PodRow | undefined): Place {
  return pod === undefined
    ? { isRunning: false, cause: null, wait: null }
    : { isRunning: isRunning(pod), cause: failureCause(pod), wait: podWait(pod) };
}

/** The summary after a pod has moved from one group to another group. */
function summaryAfter(summary: PodSummary, from: Place, to: Place): PodSummary {
  if (from.isRunning === to.isRunning && from.cause === to.cause && from.wait === to.wait) return summary;
  return {
    running: summary.running - Number(from.isRunning) + Number(to.isRunning),
    failed: addToCount(addToCount(summary.failed, from.cause, -1), to.cause, 1),
    waiting: addToCount(addToCount(summary.waiting, from.wait, -1), to.wait, 1),
  };
}

type Counts = Readonly<Record<string, number>>;

/**
 * The most causes of failures and of waits that are counted for one Job, because a container can end with any reason.
 */
const MOST_CAUSES = 50;

/** Adds `by` to the count of a cause; further causes are counted together when there are too many. */
function addToCount(counts: Counts, cause: string | null, by: 1 | -1): Counts {
  if (cause === null) return counts;
  const isFull = Object.keys(counts).length >= MOST_CAUSES;
  const key =
    Object.hasOwn(counts, cause) || (by === 1 ? !isFull : !Object.hasOwn(counts, FURTHER)) ? cause : FURTHER;
  const { [key]: before = 0, ...others } = counts;
  const count = before + by;
  return count > 0 ? { ...others, [key]: count } : others;
}
