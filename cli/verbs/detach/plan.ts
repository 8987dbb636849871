import { isFinished } from '../../../workflows/batch/conditions.ts';
import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import { findController, namedJob } from '../../../workflows/kubernetes/controller.ts';
import { isClaimed, OWN_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { isOursToFree, isTracked } from '../../../workflows/kubernetes/tracked.ts';
import type { OwnerReference } from '../../../workflows/kubernetes/objects.ts';
import { byName, fullName, type FullyNamed } from './full-names.ts';
import { planOfPlacedJobs, type MemberOfAnother, type PlannedPlacedJob } from './plan-placed.ts';
import type { Controlled, Surveyed, SurveyedCronJob, SurveyedJob, SurveyedPod } from './surveyed.ts';

/** A pod whose finalizer the detachment removes. */
export interface PlannedPod {
  namespace: string;
  name: string;
  uid: string;
  phase: string;
  /** It has finished (J-0.4). */
  ended: boolean;
}

/** A Job of Jobledger that has not finished, or that has pods to free. */
export interface PlannedJob {
  namespace: string;
  name: string;
  uid: string;
  pods: readonly PlannedPod[];
  /** The number of these pods that have not ended. */
  runningPodCount: number;
  /** Number of ended pods that no status has counted; 0 for a finished Job, whose status counts no more pods. */
  uncountedPodCount: number;
  /** True when the Job has not finished, so that no controller runs it after the detachment. */
  open: boolean;
  /** True when the Job is being deleted, and waits for its pods. */
  deleting: boolean;
}

/**
 * The pods and Jobs that a detachment affects, and the objects that it leaves. Everything is sorted by namespace and
 * name.
 */
export interface DetachPlan {
  jobs: readonly PlannedJob[];
  /** Pods without a Job whose finalizer only Jobledger removes. */
  orphans: readonly PlannedPod[];
  /** `<namespace>/<name>` of pods that keep our finalizer, because a Job of another controller owns them. */
  kept: readonly string[];
  /** Placed Jobs that have not finished, or that have our finalizer. */
  placed: readonly PlannedPlacedJob[];
  /** Members of placed Jobs with another home. These members are also in `jobs`, like every Job of Jobledger. */
  members: readonly MemberOfAnother[];
  /** `<namespace>/<name>` of unsuspended CronJobs whose Jobs Jobledger starts. */
  stopped: readonly string[];
  /** `<namespace>/<name>` of CronJobs that another controller runs, and whose Jobs name Jobledger. */
  creating: readonly string[];
}

/**
 * The plan of a detachment: the pods whose finalizer the services themselves would remove once no status has to count them, and the affected Jobs.
 */
export function planDetach(surveyed: Surveyed, controlled: Controlled): DetachPlan {
  const { pods, jobs, cronJobs } = surveyed;
  const tracked = pods.filter(({ metadata }) => isTracked(metadata));
  const existing = new Map(jobs.map((job) => [job.metadata.uid, job]));
  const fates = tracked.map((pod) => ({ pod, fate: podFate(pod, existing, controlled) }));
  const freed = new Map<string, SurveyedPod[]>();
  for (const { pod, fate } of fates)
    if (typeof fate === 'object') {
      const ofJob = freed.get(fate.metadata.uid) ?? [];
      ofJob.push(pod);
      freed.set(fate.metadata.uid, ofJob);
    }
  return {
    jobs: jobs
      .filter(({ managedBy }) => isClaimed(controlled.claim, managedBy))
      .map((job) => plannedJob(job, freed.get(job.metadata.uid) ?? []))
      .filter(({ pods: planned, open }) => planned.length > 0 || open)
      .toSorted(byName),
    orphans: fates.flatMap(({ pod, fate }) => (fate === 'orphan' ? [plannedPod(pod)] : [])).toSorted(byName),
    kept: fullNames(fates.flatMap(({ pod, fate }) => (fate === 'kept' ? [pod] : []))),
    ...planOfPlacedJobs(surveyed),
    ...planOfCronJobs(cronJobs, controlled),
  };
}

/** The sums of a plan, as they are recorded. */
export function sumPlan({ jobs, orphans, stopped, placed }: DetachPlan) {
  // The sum of a number over all planned Jobs.
  const ofJobs = (count: (job: PlannedJob) => number): number =>
    jobs.reduce((sum, job) => sum + count(job), 0);
  return {
    jobCount: ofJobs(({ pods }) => (pods.length > 0 ? 1 : 0)),
    podCount: ofJobs(({ pods }) => pods.length) + orphans.length,
    runningPodCount:
      ofJobs(({ runningPodCount }) => runningPodCount) + orphans.filter(({ ended }) => !ended).length,
    uncountedPodCount: ofJobs(({ uncountedPodCount }) => uncountedPodCount),
    orphanCount: orphans.length,
    openJobCount: ofJobs(({ open }) => (open ? 1 : 0)),
    cronJobCount: stopped.length,
    placedJobCount: placed.filter(({ held }) => held).length,
  };
}

/**
 * The Job of Jobledger that controls the pod (J-3.46). `orphan`: no Job controls the pod, and Jobledger must remove the finalizer; `kept`: the
 * finalizer is that of Jobledger, but a Job of another controller owns the pod; `others`: the finalizer is not that of Jobledger.
 */
function podFate(
  { metadata }: SurveyedPod,
  existing: ReadonlyMap<string, SurveyedJob>,
  { claim }: Controlled,
): SurveyedJob | 'orphan' | 'kept' | 'others' {
  const isOurs = isOursToFree(claim, metadata);
  const named = namedJob(metadata);
  const job = named === undefined ? undefined : jobNamed(named, metadata.namespace, existing);
  if (job !== undefined && isClaimed(claim, job.managedBy)) return job;
  if (!isOurs) return 'others';
  const isControlled = job !== undefined || (named === undefined && findController(metadata) !== undefined);
  return isControlled ? 'kept' : 'orphan';
}

/**
 * The Job that a pod names as its controller; undefined if the Job with this UID has another name or namespace, because it then controls no such pod.
 */
function jobNamed(
  { uid, name }: OwnerReference,
  namespace: string,
  existing: ReadonlyMap<string, SurveyedJob>,
): SurveyedJob | undefined {
  const job = existing.get(uid);
  return job?.metadata.namespace === namespace && job.metadata.name === name ? job : undefined;
}

/** The plan for a Job: the pods to free, and their numbers by state. */
function plannedJob({ metadata, status = {} }: SurveyedJob, tracked: readonly SurveyedPod[]): PlannedJob {
  const pods = tracked.map(plannedPod).toSorted(byName);
  const ended = pods.filter((pod) => pod.ended);
  const open = !isFinished(status);
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const uncounted = new Set([...ended.map(({ uid }) => uid), ...succeeded, ...failed]);
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    pods,
    runningPodCount: pods.length - ended.length,
    uncountedPodCount: open ? uncounted.size : 0,
    open,
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

/** The plan for a pod. */
function plannedPod({ metadata: { namespace, name, uid }, phase = 'Running' }: SurveyedPod): PlannedPod {
  return { namespace, name, uid, phase, ended: isTerminal(phase) };
}

/** The unsuspended CronJobs that no controller starts after the detachment, or whose Jobs no controller runs. */
function planOfCronJobs(
  cronJobs: readonly SurveyedCronJob[],
  { controllers }: Controlled,
): Pick<DetachPlan, 'stopped' | 'creating'> {
  const active = cronJobs.filter(({ suspended }) => !suspended);
  if (controllers.includes('cronjob')) return { stopped: fullNames(active), creating: [] };
  return { stopped: [], creating: fullNames(active.filter(({ managedBy }) => managedBy === OWN_MANAGER)) };
}

/** The sorted names of objects, each with its namespace. */
function fullNames(objects: readonly { metadata: FullyNamed }[]): string[] {
  return objects
    .map(({ metadata }) => metadata)
    .toSorted(byName)
    .map(fullName);
}
