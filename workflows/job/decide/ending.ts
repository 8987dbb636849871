import { failedIndexesLimitReached } from '../../batch/limits.ts';
import { backoffLimitReached } from './policies/backoff-limit.ts';
import { MAX_PODS_IN_COMMAND, type DeletePods } from '../commands.ts';
import { commandPreconditions } from '../definitions/preconditions.ts';
import { INTERIM_CONDITION, trueCondition } from '../../batch/conditions.ts';
import { endingIndexes } from '../../batch/index-grant.ts';
import { activeDeadline, deadlinePassed } from './policies/deadline.ts';
import { podsFailingWith } from '../definitions/failing-with-job.ts';
import { unchangedPlan, type SyncPlan } from './plan.ts';
import { type Ending } from '../../batch/ending.ts';
import { podFailurePolicyViolated } from './policies/pod-failure-policy.ts';
import { podRef } from '../definitions/pod-refs.ts';
import { successPolicyMet } from '../../batch/success-policy.ts';
import type { PodEntry, Tally } from './tally.ts';

/**
 * The end of the Job, or null; the first policy that applies wins (J-3.52). Completion by count is checked later
 * (J-3.58).
 */
export function decideEnding(tally: Tally): Ending | null {
  return (
    storedEnding(tally) ??
    endOfPlacedJob(tally) ??
    podFailurePolicyViolated(tally) ??
    backoffLimitReached(tally) ??
    deadlinePassed(tally) ??
    failedIndexesLimitReached({ job: tally.job, ...endingIndexes(tally) }) ??
    successPolicyMet(tally)
  );
}

/**
 * The end that the interim condition of the Job shows, because an interim condition is final (J-3.54); null without
 * one.
 */
function storedEnding({ job }: Tally): Ending | null {
  const success = trueCondition(job.status, INTERIM_CONDITION.Complete);
  const stored = success ?? trueCondition(job.status, INTERIM_CONDITION.Failed);
  if (stored === undefined) return null;
  const { type, reason = '', message = '' } = stored;
  return {
    type: success === undefined ? 'Failed' : 'Complete',
    reason,
    message,
    isStored: true,
    why: { rule: 'J-3.52', message: `${type} stands: ${message}` },
  };
}

/** The end of a member because the placed Job has reached its end over all members (J-16.24); null before that. */
function endOfPlacedJob({ grant }: Tally): Ending | null {
  const type = grant?.end;
  if (type === undefined) return null;
  const [reason, text] =
    type === 'Failed' ? ['PlacedJobFailed', 'has failed'] : ['PlacedJobComplete', 'is complete'];
  const message = `The placed Job ${text}`;
  return { type, reason, message, isStored: false, why: { rule: 'J-16.24', message } };
}

/** Deletes every active pod (J-3.57); finalizers stay until the pods are counted. */
export function stopPods(tally: Tally, ending: Ending): SyncPlan {
  const { state, job, active, terminating } = tally;
  /** The references to pods. */
  const toRefs = (pods: PodEntry[]): SyncPlan['failing'] => pods.map(({ uid, pod }) => podRef(job, uid, pod));
  const stopped = active.slice(0, MAX_PODS_IN_COMMAND);
  const left = new Set(active.slice(stopped.length).map(({ uid }) => uid));
  const failing = podsFailingWith(state, job, ending.type).filter(({ uid }) => !left.has(uid));
  const later = new Set([...failing.map(({ uid }) => uid), ...state.uncounted.failed]);
  const released = tally.live.filter(
    ({ uid, pod }) => !later.has(uid) && !left.has(uid) && pod.untracked !== true,
  );
  const deletion: DeletePods = {
    kind: 'DeletePods',
    untrack: false,
    ...(ending.type === 'Complete' && { excluded: true }),
    preconditions: commandPreconditions(job, activeDeadline(tally)),
    pods: toRefs(stopped),
    why: ending.why,
  };
  return {
    ...unchangedPlan(tally),
    action: 'reconciling',
    commands: stopped.length === 0 ? [] : [deletion],
    active: left.size,
    ready: active.filter(({ uid, pod }) => left.has(uid) && pod.ready !== undefined).length,
    terminating: terminating.length + stopped.length,
    failing: toRefs(failing),
    released: toRefs(released),
    ending,
  };
}
