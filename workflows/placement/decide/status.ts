import { nothing } from '../../decision/verdict.ts';
import {
  conditionAt,
  toEndType,
  INTERIM_CONDITION,
  isOwnCondition,
  suspendedCondition,
  trueCondition,
  withCondition,
} from '../../batch/conditions.ts';
import { DEADLINE_EXCEEDED } from '../../batch/limits.ts';
import { isSameJson } from '../../ledger/digest.ts';
import { apiTime, parseInstant } from '../../ledger/instants.ts';
import type { Reason } from '../../decision/reason.ts';
import { INDEXES_KEPT, PLACED } from '../../kubernetes/names.ts';
import type { Condition, JobStatus } from '../../kubernetes/objects.ts';
import { countingGrant, hasFinished, holdingGrant } from '../definitions/grants.ts';
import { reportedSuccesses, combineCounters } from '../definitions/successes.ts';
import { unknownCreation } from '../definitions/cluster-errors.ts';
import { silenceReason } from '../definitions/silence.ts';
import type { PlacementGrant } from '../state.ts';
import { endOfJob } from './member-end.ts';
import { planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/**
 * Writes the status of the placed Job if it differs from the status on the server. The status is that of the member;
 * its counters never fall, except for indexes that the Job has lost, and it keeps the first start (J-16.8). `rest` is
 * the other verdict of this decision, which the condition describes.
 */
export function writeStatus(at: PlacementSituation, rest: PlacementVerdict = nothing): PlacementVerdict {
  return replaceStatus(at, rest, nextStatus(at, rest));
}

/**
 * Writes a status that differs from the status on the server; a null status means that no status can be written yet.
 */
export function replaceStatus(
  at: PlacementSituation,
  rest: PlacementVerdict,
  to: JobStatus | null,
  why: Reason = {
    rule: 'J-16.8',
    message: 'the status of the member, or where it is, has changed',
  },
): PlacementVerdict {
  // The versions on the server change with these commands.
  if (rest.commands.some(({ kind }) => kind === 'AddFinalizer')) return nothing;
  if (to === null || isSameJson(comparableStatus(at.job.status), comparableStatus(to))) return nothing;
  return statusVerdict(at, to, why);
}

/** Ends a Job whose deadline passed while no cluster had the Job (J-6.5). */
export function failAtDeadline(at: PlacementSituation): PlacementVerdict {
  const time = apiTime(at.now);
  const ended = { status: 'True', ...DEADLINE_EXCEEDED };
  let { conditions = [] } = at.job.status;
  for (const type of [INTERIM_CONDITION.Failed, 'Failed'])
    conditions = withCondition(conditions, conditionAt(time, { type, ...ended }));
  const { startTime = at.state.startedAt ?? time } = at.job.status;
  const to: JobStatus = { ...at.job.status, ...IDLE, conditions, startTime };
  delete to.active;
  return statusVerdict(at, to, { rule: 'J-6.5', message: ended.message });
}

const IDLE: Pick<JobStatus, 'ready' | 'terminating' | 'uncountedTerminatedPods'> = {
  ready: 0,
  terminating: 0,
  uncountedTerminatedPods: {},
};

/** The command that writes the status. */
function statusVerdict(at: PlacementSituation, to: JobStatus, why: Reason): PlacementVerdict {
  const { status: from, resourceVersion, generation } = at.job;
  const { epoch } = at.state;
  return planCommands(at, {
    kind: 'WriteStatus',
    resourceVersion,
    ...(epoch > 0 && { epoch }),
    generation,
    from,
    to,
    why,
  });
}

/**
 * The next status of a placed Job; null while there is nothing to report, since the first status of a member follows
 * very soon.
 */
function nextStatus(at: PlacementSituation, rest: PlacementVerdict): JobStatus | null {
  const { job, state } = at;
  const grant = countingGrant(state);
  const own = grant?.member?.status ?? {};
  const counted = combineCounters(grant?.earlier ?? {}, own);
  const isOver = grant !== undefined && endOfJob(at, grant) !== undefined && hasFinished(grant);
  const where = placedCondition(at, isOver ? placedIn(at, grant) : whereabouts(at, rest));
  if (where === null && Object.keys(own).length === 0 && !(job.spec.suspend === true)) return null;
  const conditions = statusConditions(at, own, { isOver, where });
  const holder = holdingGrant(state);
  const isSuspended = trueCondition({ conditions }, 'Suspended') !== undefined;
  // A start time that the status shows must not change (J-1.40).
  const began = job.status.startTime ?? state.startedAt ?? own.startTime;
  // The API server refuses a Job that ends without a start (J-1.40).
  const startTime = isOver ? (began ?? apiTime(at.now)) : isSuspended ? undefined : began;
  const runs = holder !== undefined && holder === grant;
  return {
    ...(conditions.length > 0 && { conditions }),
    ...(startTime !== undefined && { startTime }),
    ...(isOver &&
      own.completionTime !== undefined && {
        completionTime: notBeforeStart(startTime, own.completionTime),
      }),
    ...(runs && own.active !== undefined && { active: own.active }),
    ready: runs ? (own.ready ?? 0) : 0,
    terminating: runs ? (own.terminating ?? 0) : 0,
    ...reportedSuccesses(job, counted),
    ...failedField(job.status, counted),
    uncountedTerminatedPods: {},
  };
}

/**
 * The completion time, or the start time if that is later: the clocks of clusters differ, and the API server refuses
 * a Job that completes before it starts (J-1.40).
 */
export function notBeforeStart(startTime: string | undefined, completionTime: string): string {
  return startTime === undefined || (parseInstant(startTime) ?? 0) <= (parseInstant(completionTime) ?? 0)
    ? completionTime
    : startTime;
}

/** The number of failed pods, which never falls. */
function failedField(before: JobStatus, own: JobStatus): Pick<JobStatus, 'failed'> {
  const failed = Math.max(before.failed ?? 0, own.failed ?? 0);
  return failed === 0 ? {} : { failed };
}

/**
 * The conditions for the end of the member, and for its suspension where the Job itself is suspended; conditions of other controllers are kept
 * (J-1.23). The end is written together with its interim condition: until the member has finished, a restore, a loss
 * or a raised limit may still give the Job the other end (J-1.40).
 */
function statusConditions(
  { job, now }: PlacementSituation,
  own: JobStatus,
  { isOver, where }: { isOver: boolean; where: Condition | null },
): Condition[] {
  let conditions: Condition[] = [...(job.status.conditions ?? [])];
  for (const condition of own.conditions ?? []) {
    if (!isOwnCondition(condition) || condition.type === INDEXES_KEPT) continue;
    if (!isOver && toEndType(condition.type) !== null) continue;
    if (condition.type === 'Suspended' && !mayFollow(job.spec.suspend === true, condition, conditions))
      continue;
    const before = conditions.find(({ type }) => type === condition.type);
    if (before?.status !== condition.status) conditions = withCondition(conditions, condition);
  }
  const suspension = shownSuspension(job, own, { conditions, isOver });
  if (suspension !== null)
    conditions = withCondition(conditions, conditionAt(apiTime(now), suspendedCondition(suspension)));
  return where === null ? conditions : withCondition(conditions, where);
}

/**
 * True when the status shows the Job as suspended although the member does not show it: the member has no status yet,
 * or has started without having been suspended itself (J-6.42). The value is null when the condition does not change.
 */
function shownSuspension(
  { spec }: PlacementSituation['job'],
  own: JobStatus,
  { conditions, isOver }: { conditions: Condition[]; isOver: boolean },
): boolean | null {
  const isShown = trueCondition({ conditions }, 'Suspended') !== undefined;
  if (spec.suspend === true) return isShown || isOver || Object.keys(own).length > 0 ? null : true;
  const hasStarted = own.startTime !== undefined && trueCondition(own, 'Suspended') === undefined;
  return isShown && hasStarted ? false : null;
}

/**
 * True when the status may take over the condition `Suspended` of a member. A member that moves is also suspended; a
 * Job that was never suspended does not have the condition (J-6.42).
 */
function mayFollow(isSuspended: boolean, condition: Condition, conditions: readonly Condition[]): boolean {
  if (condition.status === 'True') return isSuspended;
  return !isSuspended && conditions.some(({ type }) => type === 'Suspended');
}

/** The cluster in which a Job runs, or the reason why the Job runs in no cluster. */
export type PlacedAs = Pick<Condition, 'status'> & {
  reason: string;
  message: string;
};

/** The condition that names the cluster of the Job; null when the condition does not change. */
export function placedCondition({ job, now }: PlacementSituation, wanted: PlacedAs | null): Condition | null {
  if (wanted === null) return null;
  const stored = job.status.conditions?.find(({ type }) => type === PLACED);
  const { status, reason, message } = wanted;
  if (stored?.status === status && stored.reason === reason && stored.message === message) return null;
  return conditionAt(apiTime(now), { type: PLACED, ...wanted });
}

/** The cluster in which the Job runs, or the reason why the Job runs in no cluster; null while nothing is known. */
function whereabouts(at: PlacementSituation, rest: PlacementVerdict): PlacedAs | null {
  const { state, settings, job } = at;
  const grant = holdingGrant(state);
  if (grant === undefined) {
    const { waiting } = rest;
    if (waiting === null) return null;
    return { status: 'False', reason: 'NotPlaced', message: waiting.message };
  }
  const { cluster, name } = grant;
  const silent = silenceReason(settings, cluster);
  if (silent !== null)
    return {
      status: 'Unknown',
      reason: 'ClusterSilent',
      message: `${silent}; what runs there as ${job.namespace}/${name} is not known`,
    };
  const unknown = unknownCreation(state, grant);
  if (unknown !== null) return { status: 'Unknown', reason: 'CreationUnknown', message: unknown };
  if (grant.stopping !== undefined)
    return {
      status: 'False',
      reason: 'Moving',
      message: `leaves the cluster ${cluster}, where it ran as ${job.namespace}/${name}`,
    };
  // The condition is written together with the first status of the member.
  if (grant.member === null || Object.keys(grant.member.status).length === 0) return null;
  return placedIn(at, grant);
}

/** The condition of a Job that runs in the cluster of a grant. */
function placedIn({ job }: PlacementSituation, { cluster, name }: PlacementGrant): PlacedAs {
  const message = `runs in the cluster ${cluster} as ${job.namespace}/${name}`;
  return { status: 'True', reason: 'Placed', message };
}

/** The fields of a status that are compared; absent counters are 0. */
function comparableStatus({
  uncountedTerminatedPods: _none,
  ready = 0,
  terminating = 0,
  ...status
}: JobStatus): unknown {
  return { ...status, ready, terminating };
}
