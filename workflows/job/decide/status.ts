import {
  MAX_PODS_IN_COMMAND,
  type Command,
  type EmitEvents,
  type PodRef,
  type WriteStatus,
} from '../commands.ts';
import { formatIndexes, hasPlace } from '../../batch/completion-indexes.ts';
import { isActive, isTerminal } from '../definitions/pod-phase.ts';
import { conditionAt, INTERIM_CONDITION, trueCondition, withCondition } from '../../batch/conditions.ts';
import { grantReason, grantText } from '../../batch/index-grant.ts';
import { jobCounters } from '../definitions/counted-on.ts';
import { activeDeadline } from './policies/deadline.ts';
import { isSameJson } from '../../ledger/digest.ts';
import { versionEpoch } from '../../decision/version-epoch.ts';
import type { Reason } from '../../decision/reason.ts';
import { apiTime } from '../../ledger/instants.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { unlessHeldBack, type JobPlan } from './hold-back.ts';
import { nextLookUp } from './pods/lost-pods.ts';
import type { Ending } from '../../batch/ending.ts';
import type { StatusChange, SyncPlan } from './plan.ts';
import { podRef } from '../definitions/pod-refs.ts';
import { isConsideredFailed } from '../definitions/pod-replacement.ts';
import type { JobState, PodState } from '../state.ts';
import { keepUpSuspended } from './policies/suspension.ts';
import { uncountedPods, type Tally } from './tally.ts';
import { INDEXES_KEPT } from '../../kubernetes/names.ts';
import type { Condition, JobStatus } from '../../kubernetes/objects.ts';
import { earliest, sendOnly } from '../../decision/verdict.ts';
import { combineVerdicts, type Verdict } from './verdict.ts';

/**
 * Ends a sync: releases finished pods; then one write updates the counters, and also adds the interim and the
 * terminal condition together when no pod remains. These steps are section 4 of the rules without its first write,
 * because the ledger replaces `uncountedTerminatedPods`.
 */
export function conclude(tally: Tally, plan: SyncPlan): Verdict {
  const written = unlessHeldBack(tally, planStatusWrite(tally, plan));
  // The write is the last command, because commands after a failed command are skipped.
  const rest =
    written.waiting === null
      ? combineVerdicts(written, unlessHeldBack(tally, releaseRefusedAgain(tally)))
      : written;
  const deadline = plan.ending === null ? activeDeadline(tally) : null;
  const times = [plan.nextDecisionAt, rest.nextDecisionAt, deadline, nextLookUp(tally.state)];
  return {
    commands: [...plan.commands, ...rest.commands],
    nextDecisionAt: earliest(...times),
    waiting: rest.waiting ?? plan.waiting ?? endWait(plan),
    action: rest.waiting === null ? plan.action : 'reconciling',
  };
}

/**
 * Releases pods, writes the status, and reports the changes of the status; pods that end with the Job are released
 * afterwards.
 */
function planStatusWrite(tally: Tally, plan: SyncPlan): JobPlan {
  const counted = countedBy(tally, plan);
  const change = statusChange(tally, plan, counted);
  const { events } = change;
  const to = nextStatus(tally, plan, counted, change);
  const isDue = !isSameStatus(tally.job.status, to);
  const before = releasesBefore(tally, counted);
  const why: Reason = { rule: 'J-7.2', message: 'the change of the status is reported' };
  return {
    ...sendOnly(
      ...releaseCommands(before, countingReason(counted)),
      ...(isDue ? [writeStatus(tally, plan, counted, to)] : []),
      ...releaseCommands(releasesAfter(tally, plan, counted, before), {
        rule: 'J-4.5',
        message: 'the Job ends',
      }),
      ...(events.length > 0 ? [{ kind: 'EmitEvents' as const, events, why }] : []),
    ),
    heldWith: isDue || before.length > 0 ? ['WriteStatus'] : [],
  };
}

/** Tries again to release the pods whose release was refused. */
function releaseRefusedAgain(tally: Tally): JobPlan {
  const { state, job } = tally;
  const pods = trackedIn(state)
    .filter(([, pod]) => pod.refused === true)
    .slice(0, MAX_PODS_IN_COMMAND)
    .map(([uid, pod]) => podRef(job, uid, pod));
  return {
    ...sendOnly(...releaseCommands(pods, { rule: 'J-4.11', message: 'refused before: tried again' })),
    heldWith: isAnyRefused(tally) ? ['ReleasePods'] : [],
  };
}

/** The reason to wait for terminating pods before the end of the Job; null without such pods. */
function endWait({ ending, terminating }: SyncPlan): Reason | null {
  if (ending === null || terminating === 0) return null;
  return { rule: 'J-6.39', message: 'the Job ends when its terminating pods are gone' };
}

/** True when the API server refused to release a pod. */
function isAnyRefused({ state }: Tally): boolean {
  return Object.values(state.pods).some(({ refused }) => refused === true);
}

type Counted = WriteStatus['counted'];

/** The pods that the write counts: finished pods, and pods that fail with the Job, up to the limit (J-4.7). */
function countedBy({ newSucceeded, newFailed, settings }: Tally, plan: SyncPlan): Counted {
  const room = settings.maxUncountedPods - newSucceeded.length - newFailed.length;
  const failing = plan.failing.slice(0, room).map(({ uid }) => uid);
  return { succeeded: newSucceeded, failed: [...newFailed, ...failing] };
}

/**
 * The change of the status: its conditions show that the Job ends or, when no pod remains, has ended; otherwise they
 * show whether the Job is suspended.
 */
function statusChange(tally: Tally, plan: SyncPlan, counted: Counted): StatusChange {
  const { startTime = tally.activeSince ?? undefined, completionTime } = tally.job.status;
  const conditions = acknowledgedConditions(tally);
  const none: StatusChange = { conditions, startTime, completionTime, events: [] };
  const { ending } = plan;
  if (ending === null) return { ...none, ...(plan.isManaged && keepUpSuspended(tally, conditions)) };
  const interim = ending.isStored ? none : withEnd(none, INTERIM_CONDITION[ending.type], ending, tally.now);
  if (!isTerminalNow(tally, plan, counted)) return interim;
  return {
    ...withEnd(interim, ending.type, ending, tally.now),
    ...closingTimes(tally, ending, startTime),
    events: endingEvents(tally, ending),
  };
}

/** The conditions of the status, with the grant of indexes that the Job follows (J-16.24). */
function acknowledgedConditions({ job, grant, now }: Tally): Condition[] {
  const { conditions = [] } = job.status;
  if (grant === null) return conditions;
  const message = grantText({ ...grant, indexes: formatIndexes(grant.indexes) });
  const reason = grantReason(grant);
  const shown = trueCondition(job.status, INDEXES_KEPT);
  if (shown?.message === message && shown.reason === reason) return conditions;
  const condition = { type: INDEXES_KEPT, status: 'True', reason, message };
  return withCondition(conditions, conditionAt(apiTime(now), condition));
}

/** The change of the status with a condition of the end. */
function withEnd(change: StatusChange, type: string, { reason, message }: Ending, now: number): StatusChange {
  const condition = conditionAt(apiTime(now), { type, status: 'True', reason, message });
  return { ...change, conditions: withCondition(change.conditions, condition) };
}

/** True when everything is counted and released, and no pod is active or terminating (J-4.13). */
function isTerminalNow(tally: Tally, plan: SyncPlan, counted: Counted): boolean {
  const isAllCounted = !tally.isCapped && plan.failing.every(({ uid }) => counted.failed.includes(uid));
  return isAllCounted && !isAnyRefused(tally) && plan.active === 0 && plan.terminating === 0;
}

/**
 * The start and completion times of a finished Job: a finished Job has a start time (J-1.40 k, B-10), and a complete
 * Job has a completion time that is not earlier (J-1.40 f, g).
 */
function closingTimes(
  { job, suspended, now }: Tally,
  { type }: Ending,
  started: string | undefined,
): Partial<StatusChange> {
  const needsNone = suspended && job.spec.completions === 0;
  const startTime = needsNone ? started : (started ?? apiTime(now));
  if (type !== 'Complete') return { startTime };
  return { startTime, completionTime: apiTime(Math.max(now, Date.parse(startTime ?? apiTime(now)))) };
}

/** The Events about the end of a Job. */
function endingEvents({ job, succeeded }: Tally, ending: Ending): EmitEvents['events'] {
  if (ending.type === 'Failed') return [{ type: 'Warning', reason: ending.reason, message: ending.message }];
  const completed = { type: 'Normal' as const, reason: 'Completed', message: 'Job completed' };
  if (job.spec.completions === undefined || succeeded <= job.spec.completions) return [completed];
  const message = 'Too many succeeded pods running after completion count reached';
  return [{ type: 'Warning', reason: 'TooManySucceededPods', message }, completed];
}

/** The status fields of the Job controller; a field is present or absent as in Kubernetes (J-1.22). */
function nextStatus(
  tally: Tally,
  plan: SyncPlan,
  counted: Counted,
  { conditions, startTime, completionTime }: StatusChange,
): JobStatus {
  const { job, indexes } = tally;
  const uncounted = uncountedPods(job);
  const known = jobCounters(job);
  const succeeded =
    indexes === null ? known.succeeded + uncounted.succeeded + counted.succeeded.length : tally.succeeded;
  const completed = formatIndexes(indexes?.completed ?? []);
  const failed = known.failed + uncounted.failed + counted.failed.length;
  return {
    ...(conditions.length > 0 && { conditions }),
    ...(startTime !== undefined && { startTime }),
    ...(completionTime !== undefined && { completionTime }),
    ...(plan.active > 0 && { active: plan.active }),
    ready: plan.ready,
    terminating: plan.terminating,
    ...(succeeded > 0 && { succeeded }),
    ...(failed > 0 && { failed }),
    ...(completed !== '' && { completedIndexes: completed }),
    ...(indexes !== null && indexes.failed !== null && { failedIndexes: formatIndexes(indexes.failed) }),
    uncountedTerminatedPods: {},
  };
}

/** True when nothing has to be written; a new start time alone does not require a write (B-9). */
function isSameStatus(from: JobStatus, to: JobStatus): boolean {
  return isSameJson(comparableStatus(from), comparableStatus(to));
}

/** The fields of a status that are compared; the order of uncounted pods and the start time do not matter. */
function comparableStatus({ startTime: _startTime, uncountedTerminatedPods, ...status }: JobStatus): unknown {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return { ...status, uncounted: [...succeeded, ...failed] };
}

/** Pods to release before the write: finished pods that the write counts, and pods that are not counted (J-4.4). */
function releasesBefore({ state, job }: Tally, counted: Counted): PodRef[] {
  let room = MAX_PODS_IN_COMMAND;
  const uncounted = new Set([...state.uncounted.succeeded, ...state.uncounted.failed]);
  const now = new Set([...counted.succeeded, ...counted.failed]);
  const pods = trackedIn(state).filter(([uid, pod]) => {
    if (pod.refused === true) return false;
    if (uncounted.has(uid)) return now.has(uid);
    if (now.has(uid) && isTerminal(pod.phase)) return true;
    // An active pod that was counted runs again after a restore; its finalizer is removed when the pod is deleted.
    const isDone = pod.counted === true && !isActive(pod);
    const isNotCounted = isDone || pod.excluded === true || job.deleting || isIndexOutside(job, pod);
    if (isNotCounted) room -= 1;
    return isNotCounted && room >= 0;
  });
  return pods.map(([uid, pod]) => podRef(job, uid, pod));
}

/** Pods that end with the Job and are released after the write (J-4.5). */
function releasesAfter({ state }: Tally, plan: SyncPlan, counted: Counted, before: PodRef[]): PodRef[] {
  const isReleased = new Set(before.map(({ uid }) => uid));
  const isCounted = new Set(counted.failed);
  const failing = plan.failing.filter(({ uid }) => isCounted.has(uid));
  return [...failing, ...plan.released]
    .filter(({ uid }) => !isReleased.has(uid) && state.pods[uid]?.refused !== true)
    .slice(0, Math.max(failing.length, MAX_PODS_IN_COMMAND));
}

/** The pods of the Job that have the finalizer of Jobledger. */
function trackedIn({ pods }: JobState): [string, PodState][] {
  return Object.entries(pods).filter(([, pod]) => pod.untracked !== true && pod.claim === undefined);
}

/** True for a finished pod whose index does not count, which is released without being counted (J-4.17). */
function isIndexOutside({ spec }: JobFacts, pod: PodState): boolean {
  return !hasPlace(spec, pod.index) && (pod.phase === 'Succeeded' || isConsideredFailed(spec, pod));
}

/** The command that releases pods; none without pods. */
function releaseCommands(pods: PodRef[], why: Reason): Command[] {
  return pods.length === 0 ? [] : [{ kind: 'ReleasePods', pods, why }];
}

/** The reason of a status write that counts pods. */
function countingReason({ succeeded, failed }: Counted): Reason {
  return { rule: 'J-4.11', message: `counted now: ${succeeded.length} succeeded, ${failed.length} failed` };
}

/** The command that writes the status. */
function writeStatus(
  { job, state }: Tally,
  { ending }: SyncPlan,
  counted: Counted,
  to: JobStatus,
): WriteStatus {
  const why =
    ending?.why ??
    (counted.succeeded.length + counted.failed.length > 0 ? countingReason(counted) : STATUS_REASON);
  const { resourceVersion, generation, status: from } = job;
  const { epoch, versions } = state;
  return {
    kind: 'WriteStatus',
    resourceVersion,
    ...versionEpoch({ epoch, version: versions.job }),
    generation,
    from,
    to,
    counted,
    why,
  };
}

const STATUS_REASON: Reason = {
  rule: 'J-3.50',
  message: 'active, ready, terminating or a condition changed',
};
