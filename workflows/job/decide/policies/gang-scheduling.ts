import type { JobPlan } from '../hold-back.ts';
import type { CreatePods, EnsureGang } from '../../commands.ts';
import { isIndexed } from '../../../batch/completion-indexes.ts';
import { isFinished } from '../../../batch/conditions.ts';
import { podGroupTemplateName, workloadName } from '../../definitions/gang-names.ts';
import type { JobFacts } from '../../../batch/facts.ts';
import { isOurs, type Settings } from '../../settings.ts';
import type { JobState } from '../../state.ts';
import type { Situation } from '../situation.ts';
import { sendOnly } from '../../../decision/verdict.ts';
import { ensurePodGroup, formerGroup, mayHavePodGroup } from './pod-groups.ts';

/**
 * Gives a Job its Workload and its PodGroup before any other command, even while the Job is suspended (J-3.50 step
 * 10): in Kubernetes 1.36 if its pods can be a gang, and since 1.37 in nearly every case. The state keeps the result:
 * later pods join the same group, even if the Workload is deleted (B-12).
 */
export function ensureGang(at: Situation): JobPlan | null {
  const { state, job, settings } = at;
  if (job.deleting) return null;
  if (settings.gangScheduling === 'v1beta1') return ensurePodGroup(at, isNew(state, job));
  if (settings.gangScheduling !== 'served' || state.gang !== null || !canBeGang(job)) return null;
  return sendOnly(isNew(state, job) ? ensureNewGang(job) : forStartedJob);
}

/** True when a decision about the Job depends on the API that the cluster serves. */
export function dependsOnSchedulingApi({ job, jobGone, gang }: JobState, settings: Settings): boolean {
  if (job === null || jobGone || job.deleting || isFinished(job.status)) return false;
  if (!isOurs(settings, job.spec.managedBy)) return false;
  return gang === null ? canBeGang(job) || mayHavePodGroup(job) : formerGroup(gang) !== null;
}

/** The group that every pod of the Job joins (J-8.8). */
export function podGroupField({ gang }: Pick<JobState, 'gang'>): Pick<CreatePods, 'podGroup'> {
  return gang === null || 'none' in gang ? {} : { podGroup: gang.podGroup };
}

/** True when all indexes run at once, and no other program schedules the pods (J-8.2). */
export function canBeGang({ spec, hasSchedulingGroup }: JobFacts): boolean {
  const { parallelism = 1, completions } = spec;
  return isIndexed(spec) && parallelism > 1 && completions === parallelism && hasSchedulingGroup !== true;
}

/**
 * True when the Job has never started (J-8.3). When the state has forgotten a pod, the pod is in the counters, or
 * `startTime` is set.
 */
function isNew({ pods }: JobState, { status }: JobFacts): boolean {
  const { startTime, succeeded = 0, failed = 0, conditions = [] } = status;
  return (
    Object.keys(pods).length === 0 &&
    startTime === undefined &&
    succeeded === 0 &&
    failed === 0 &&
    !conditions.some(({ type }) => type === 'Suspended')
  );
}

/** The command for a new Job in Kubernetes 1.36. */
function ensureNewGang(job: JobFacts): EnsureGang {
  const { parallelism: minCount = 1 } = job.spec;
  return {
    kind: 'EnsureGang',
    workload: { name: workloadName(job), podGroupTemplate: podGroupTemplateName(job), minCount },
    why: { rule: 'J-8.2', message: `all ${minCount} indexes run at once, so their pods are a gang` },
  };
}

const forStartedJob: EnsureGang = {
  kind: 'EnsureGang',
  why: {
    rule: 'J-8.3',
    message: 'the Job is not new: its pods are a gang only if it already has a Workload',
  },
};
