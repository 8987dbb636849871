import { apiErrorDelay, type CommandDelay } from './api-retry.ts';
import {
  MAX_PODS_IN_COMMAND,
  type Command,
  type EmitEvents,
  type PodRef,
  type WriteStatus,
} from '../commands.ts';
import { formatIndexes, hasPlace } from '../definitions/completion-indexes.ts';
import { isActive, isTerminal } from '../definitions/pod-phase.ts';
import { conditionAt, INTERIM_CONDITION, withCondition } from '../definitions/conditions.ts';
import { countedOn } from '../definitions/counted-on.ts';
import { deadlineOf } from './policies/deadline.ts';
import { isSameJson } from '../definitions/digest.ts';
import type { Reason } from '../reason.ts';
import { apiTime } from '../definitions/instants.ts';
import type { JobFacts } from '../facts.ts';
import { nextLookUp } from './pods/lost-pods.ts';
import type { Ending, SyncPlan, StatusDraft } from './plan.ts';
import { refOf } from '../definitions/pod-refs.ts';
import { isConsideredFailed } from '../definitions/pod-replacement.ts';
import { requestHeldUntil } from './requests.ts';
import type { PodState } from '../state.ts';
import { keepUpSuspended } from './policies/suspension.ts';
import { uncountedOf, type Tally } from './tally.ts';
import type { Condition, JobStatus } from '../../kubernetes/objects.ts';
import { earlier, type Verdict } from './verdict.ts';

/**
 * The end of a sync: finished pods are released, then one write updates the counters, and also adds the interim and the
 * terminal condition together when nothing is left (section 4 of the rules without its first write: the ledger replaces
 * `uncountedTerminatedPods`).
 */
export function conclude(tally: Tally, plan: SyncPlan): Verdict {
  const counted = countedBy(tally, plan);
  const draft = draftOf(tally);
  const events = finishOrGoOn(tally, plan, counted, draft);
  const to = nextStatus(tally, plan, counted, draft);
  const { first: release, refused } = releasesBefore(tally, counted);
  const isDue = !isSame(tally.job.status, to);
  const writeHeld =
    isDue || release.length > 0 ? apiErrorDelay(tally.state, tally.now, ['WriteStatus']) : null;
  const held = writeHeld ?? (isAnyRefused(tally) ? tally.releaseHeld : null);
  const commands: Command[] = [...plan.commands];
  if (writeHeld === null) {
    const isReleased = new Set(release.map(({ uid }) => uid));
    const isCounted = new Set(counted.failed);
    const failing = plan.failing.filter(({ uid }) => isCounted.has(uid));
    const after = [...failing, ...plan.letGo]
      .filter(({ uid }) => !isReleased.has(uid) && tally.state.pods[uid]?.refused !== true)
      .slice(0, Math.max(failing.length, MAX_PODS_IN_COMMAND));
    commands.push(...released(release, countingReason(counted)));
    if (isDue) commands.push(writeOf(tally, plan, counted, to));
    commands.push(...released(after, { rule: 'J-4.5', words: 'the Job ends' }));
    if (events.length > 0)
      commands.push({ kind: 'EmitEvents', events, why: { rule: 'J-7.2', words: 'told on the Job' } });
    // Last, because what follows a command that fails is skipped.
    commands.push(...released(refused, { rule: 'J-4.11', words: 'refused before: tried again' }));
  }
  return { commands, ...outlook(tally, plan, held), action: held === null ? plan.action : 'reconciling' };
}

/** Whether the API server refused to release a pod. */
function isAnyRefused({ state }: Tally): boolean {
  return Object.values(state.pods).some(({ refused }) => refused === true);
}

type Counted = WriteStatus['counted'];

/** The pods that the write counts: finished ones, and those that fail with the Job, up to the limit (J-4.7). */
function countedBy({ newSucceeded, newFailed, settings }: Tally, plan: SyncPlan): Counted {
  const room = settings.maxUncountedPods - newSucceeded.length - newFailed.length;
  const failing = plan.failing.slice(0, room).map(({ uid }) => uid);
  return { succeeded: newSucceeded, failed: [...newFailed, ...failing] };
}

function draftOf({ job: { status }, activeSince }: Tally): StatusDraft {
  const { conditions = [], startTime = activeSince ?? undefined, completionTime } = status;
  return { conditions, startTime, completionTime };
}

/** Puts the conditions into the draft; returns the Events to emit. */
function finishOrGoOn(
  tally: Tally,
  plan: SyncPlan,
  counted: Counted,
  draft: StatusDraft,
): EmitEvents['events'] {
  const { ending } = plan;
  if (ending === null) {
    const event = plan.isManaged ? keepUpSuspended(tally, draft) : null;
    return event === null ? [] : [event];
  }
  const interim = INTERIM_CONDITION[ending.type];
  const at = apiTime(tally.now);
  if (!ending.isStored) draft.conditions = withCondition(draft.conditions, conditionOf(interim, ending, at));
  if (!isTerminalNow(tally, plan, counted)) return [];
  draft.conditions = withCondition(draft.conditions, conditionOf(ending.type, ending, at));
  closeTimes(tally, ending, draft);
  return endingEvents(tally, ending);
}

function conditionOf(type: string, { reason, message }: Ending, at: string): Condition {
  return conditionAt(at, { type, status: 'True', reason, message });
}

/** J-4.13: everything is counted and released, and no pod is active or terminating. */
function isTerminalNow(tally: Tally, plan: SyncPlan, counted: Counted): boolean {
  const isAllCounted = !tally.isCapped && plan.failing.every(({ uid }) => counted.failed.includes(uid));
  return isAllCounted && !isAnyRefused(tally) && plan.active === 0 && plan.terminating === 0;
}

/** A finished Job has a start time (J-1.40 k, B-10); a complete one a completion time not before it (J-1.40 f, g). */
function closeTimes({ job, suspended, now }: Tally, ending: Ending, draft: StatusDraft): void {
  const needsNone = suspended && job.spec.completions === 0;
  if (!needsNone) draft.startTime ??= apiTime(now);
  if (ending.type === 'Complete')
    draft.completionTime = apiTime(Math.max(now, Date.parse(draft.startTime ?? apiTime(now))));
}

function endingEvents({ job, succeeded }: Tally, ending: Ending): EmitEvents['events'] {
  if (ending.type === 'Failed') return [{ type: 'Warning', reason: ending.reason, message: ending.message }];
  const completed = { type: 'Normal' as const, reason: 'Completed', message: 'Job completed' };
  if (job.spec.completions === undefined || succeeded <= job.spec.completions) return [completed];
  const message = 'Too many succeeded pods running after completion count reached';
  return [{ type: 'Warning', reason: 'TooManySucceededPods', message }, completed];
}

/** The status fields of the Job controller, present or absent as upstream has them (J-1.22). */
function nextStatus(tally: Tally, plan: SyncPlan, counted: Counted, draft: StatusDraft): JobStatus {
  const { job, indexes } = tally;
  const uncounted = uncountedOf(job);
  const known = countedOn(job);
  const succeeded =
    indexes === null ? known.succeeded + uncounted.succeeded + counted.succeeded.length : tally.succeeded;
  const completed = formatIndexes(indexes?.completed ?? []);
  const failed = known.failed + uncounted.failed + counted.failed.length;
  return {
    ...(draft.conditions.length > 0 && { conditions: draft.conditions }),
    ...(draft.startTime !== undefined && { startTime: draft.startTime }),
    ...(draft.completionTime !== undefined && { completionTime: draft.completionTime }),
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

/** Whether nothing has to be written; a new start time alone does not count (B-9). */
function isSame(from: JobStatus, to: JobStatus): boolean {
  return isSameJson(comparable(from), comparable(to));
}

function comparable({ startTime: _startTime, uncountedTerminatedPods, ...status }: JobStatus): unknown {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return { ...status, uncounted: [...succeeded, ...failed] };
}

/**
 * Pods to release before the write: finished ones that it counts, and those that are not counted (J-4.4); apart from them
 * those whose release was refused before.
 */
function releasesBefore(tally: Tally, counted: Counted): { first: PodRef[]; refused: PodRef[] } {
  const { state, job, releaseHeld } = tally;
  let room = MAX_PODS_IN_COMMAND;
  const owed = new Set([...state.owed.succeeded, ...state.owed.failed]);
  const now = new Set([...counted.succeeded, ...counted.failed]);
  const tracked = Object.entries(state.pods).filter(
    ([, pod]) => pod.untracked !== true && pod.claim === undefined,
  );
  const first = tracked.filter(([uid, pod]) => {
    if (pod.refused === true) return false;
    if (owed.has(uid)) return now.has(uid);
    if (now.has(uid) && isTerminal(pod.phase)) return true;
    // One that is active and was counted runs again after a restore: its deletion releases it.
    const isDone = pod.counted === true && !isActive(pod);
    const isNotCounted = isDone || pod.letGo === true || job.deleting || isOutside(job, pod);
    if (isNotCounted) room -= 1;
    return isNotCounted && room >= 0;
  });
  const refused = tracked.filter(([, pod]) => pod.refused === true && releaseHeld === null);
  const refs = (pods: typeof tracked): PodRef[] => pods.map(([uid, pod]) => refOf(job, uid, pod));
  return { first: refs(first), refused: refs(refused.slice(0, MAX_PODS_IN_COMMAND)) };
}

/** A finished pod whose index does not count: released without being counted (J-4.17). */
function isOutside({ spec }: JobFacts, pod: PodState): boolean {
  return !hasPlace(spec, pod.index) && (pod.phase === 'Succeeded' || isConsideredFailed(spec, pod));
}

function released(pods: PodRef[], why: Reason): Command[] {
  return pods.length === 0 ? [] : [{ kind: 'ReleasePods', pods, why }];
}

function countingReason({ succeeded, failed }: Counted): Reason {
  return { rule: 'J-4.11', words: `counted now: ${succeeded.length} succeeded, ${failed.length} failed` };
}

function writeOf({ job }: Tally, { ending }: SyncPlan, counted: Counted, to: JobStatus): WriteStatus {
  const why =
    ending?.why ??
    (counted.succeeded.length + counted.failed.length > 0 ? countingReason(counted) : STATUS_REASON);
  return { kind: 'WriteStatus', resourceVersion: job.resourceVersion, from: job.status, to, counted, why };
}

const STATUS_REASON: Reason = { rule: 'J-3.50', words: 'active, ready, terminating or a condition changed' };

function outlook(
  tally: Tally,
  plan: SyncPlan,
  held: CommandDelay | null,
): Pick<Verdict, 'lookAgainAt' | 'waiting'> {
  const deadline = plan.ending === null ? deadlineOf(tally) : null;
  const request = requestHeldUntil(tally.state, tally.now);
  const times = [plan.lookAgainAt, held?.lookAgainAt ?? null, deadline, request, nextLookUp(tally.state)];
  const isEnding = plan.ending !== null && plan.terminating > 0;
  const waiting = held === null ? plan.waiting : held.waiting;
  return {
    lookAgainAt: times.reduce(earlier, null),
    waiting:
      waiting ??
      (isEnding ? { rule: 'J-6.39', words: 'the Job ends when its terminating pods are gone' } : null),
  };
}
