import type { JobPlan } from '../hold-back.ts';
import type { EnsureGang, GroupToEnsure } from '../../commands.ts';
import { acceptedTemplateName, podGroupName, workloadName } from '../../definitions/gang-names.ts';
import type { JobFacts } from '../../../batch/facts.ts';
import type { Gang, PodGroupOfJob } from '../../gang.ts';
import type { Settings } from '../../settings.ts';
import { GROUP_TEMPLATE_NAME, POD_GROUP_API } from '../../../kubernetes/names.ts';
import type { Situation } from '../situation.ts';
import { sendOnly } from '../../../decision/verdict.ts';

/** The PodGroup of a Job in the API of Kubernetes 1.37 (J-8.20). `isNew` is true when the Job has never started. */
export function ensurePodGroup({ state: { gang }, job }: Situation, isNew: boolean): JobPlan | null {
  if (gang === null) return mayHavePodGroup(job) ? sendOnly(ensureGroupOfJob(job, isNew)) : null;
  if ('none' in gang) return null;
  if (formerGroup(gang) !== null) return sendOnly(groupInPlace(gang, job));
  return isOutdated(gang, job) ? sendOnly(resizeGang(gang, job)) : null;
}

/**
 * True when the Job has a PodGroup that Jobledger creates (J-8.22). The value is false when its pods already name a
 * group, or when another object controls the Job and does not leave the group to Jobledger.
 */
export function mayHavePodGroup({ hasSchedulingGroup, controlled, delegated }: JobFacts): boolean {
  return hasSchedulingGroup !== true && (controlled !== true || delegated === true);
}

/** The PodGroup in the API of Kubernetes 1.36, which Kubernetes 1.37 does not serve; null without a PodGroup. */
export function formerGroup(gang: Gang): PodGroupOfJob | null {
  return 'none' in gang || gang.api !== undefined ? null : gang;
}

/** True when the owner of the Job leaves its PodGroup to Jobledger. */
function isDelegated({ controlled, delegated }: JobFacts): boolean {
  return controlled === true && delegated === true;
}

/**
 * The smallest number of pods that are scheduled together (J-8.21); undefined when the Job does not ask for a gang.
 */
function gangSize(job: JobFacts): number | undefined {
  const gang = job.spec.scheduling?.schedulingPolicy?.gang;
  return gang === undefined ? undefined : (gang.minCount ?? countAllPods(job));
}

/** The command that finds or creates the PodGroup of a Job. */
function ensureGroupOfJob(job: JobFacts, create: boolean): EnsureGang {
  const group = isDelegated(job) ? { create } : ownGroup(job, gangSize(job), create);
  return { kind: 'EnsureGang', group, why: create ? reasonFor(job, group) : STARTED };
}

const STARTED = {
  rule: 'J-8.23',
  message:
    'the Job is not new, so no PodGroup is created; its pods use a PodGroup only if that PodGroup already exists',
} as const;

/** The reason for the PodGroup of a Job. */
function reasonFor(job: JobFacts, { minCount }: GroupToEnsure): EnsureGang['why'] {
  if (isDelegated(job)) return { rule: 'J-8.22', message: 'the owner of the Job leaves its PodGroup to us' };
  return minCount === undefined
    ? { rule: 'J-8.21', message: 'the pods of the Job have a PodGroup, and are scheduled one by one' }
    : { rule: 'J-8.21', message: `the Job asks for a gang of at least ${minCount} pods` };
}

/** The PodGroup that Jobledger names for a Job. */
function ownGroup(job: JobFacts, minCount: number | undefined, create: boolean): GroupToEnsure {
  const [workload, podGroupTemplate] = [workloadName(job), acceptedTemplateName(job)];
  const podGroup = podGroupName(workload, podGroupTemplate);
  return {
    own: { workload, podGroupTemplate, podGroup },
    ...(minCount !== undefined && { minCount }),
    create,
  };
}

/**
 * A gang of Kubernetes 1.36 after the upgrade to 1.37 (J-8.27): its pods name a PodGroup that no longer exists, and
 * the unscheduled pods wait for that PodGroup, so it is created again under its name.
 */
function groupInPlace({ workload, podGroup }: PodGroupOfJob, job: JobFacts): EnsureGang {
  const minCount = countAllPods(job);
  return {
    kind: 'EnsureGang',
    group: {
      own: { workload, podGroupTemplate: acceptedTemplateName(job), podGroup },
      minCount,
      create: true,
    },
    why: {
      rule: 'J-8.27',
      message: `the cluster serves another API than that of PodGroup ${podGroup}: it is created again, as a gang of ${minCount}`,
    },
  };
}

/** The size of a gang of all pods that run at once. */
function countAllPods({ spec: { parallelism = 1 } }: JobFacts): number {
  return Math.max(1, parallelism);
}

/**
 * True when the size of the gang must be compared with the Job again (J-8.26). The size of a group in another owner's
 * Workload is in that Workload; each change of the Job causes a comparison with this size.
 */
function isOutdated({ minCount, generation }: PodGroupOfJob, job: JobFacts): boolean {
  if (minCount === undefined) return false;
  return isDelegated(job) ? generation !== job.generation : minCount !== presentGangSize(job);
}

/** The size of an existing gang; without a policy, the gang is from Kubernetes 1.36. */
function presentGangSize(job: JobFacts): number {
  return gangSize(job) ?? countAllPods(job);
}

/** The command that gives an existing PodGroup the size that the Job asks for. */
function resizeGang({ workload, podGroup, minCount }: PodGroupOfJob, job: JobFacts): EnsureGang {
  if (isDelegated(job)) {
    const message = 'the Job has changed: its PodGroup gets the size in the Workload of its owner';
    return { kind: 'EnsureGang', group: { create: false }, why: { rule: 'J-8.26', message } };
  }
  const size = presentGangSize(job);
  return {
    kind: 'EnsureGang',
    group: {
      own: { workload, podGroupTemplate: acceptedTemplateName(job), podGroup },
      minCount: size,
      create: false,
    },
    why: { rule: 'J-8.26', message: `the gang has at least ${size} pods now, ${minCount} before` },
  };
}

/** The scheduling that a Job asks for and cannot get (J-8.28), as text; null without such a request. */
export function unservedScheduling(
  { spec: { scheduling = {} }, delegated }: JobFacts,
  { gangScheduling }: Settings,
): string | null {
  if (gangScheduling === 'v1beta1' || gangScheduling === 'where-served') return null;
  const {
    schedulingPolicy: { gang } = {},
    schedulingConstraints,
    disruptionMode,
    resourceClaims,
  } = scheduling;
  const asked = [
    ...(gang === undefined ? [] : ['spec.scheduling.schedulingPolicy.gang']),
    ...(schedulingConstraints === undefined ? [] : ['spec.scheduling.schedulingConstraints']),
    ...(disruptionMode === undefined ? [] : ['spec.scheduling.disruptionMode']),
    ...(resourceClaims === undefined ? [] : ['spec.scheduling.resourceClaims']),
    ...(delegated === true ? [`the annotation ${GROUP_TEMPLATE_NAME}`] : []),
  ];
  if (asked.length === 0) return null;
  const because =
    gangScheduling === undefined
      ? 'gang scheduling is off in Jobledger (JOBLEDGER_GANG_SCHEDULING)'
      : `the cluster does not serve ${POD_GROUP_API}`;
  return `ignored: ${asked.join(', ')}; ${because}, so the pods are scheduled one by one`;
}
