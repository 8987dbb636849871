import { nothing } from '../../decision/verdict.ts';
import { terminalCondition } from '../../batch/conditions.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { ContinuedFailures, IndexGrant } from '../../batch/facts.ts';
import type { Reason } from '../../decision/reason.ts';
import type { Rule } from '../../decision/rule.ts';
import type { Continued, EndReason, MemberChange, PlacementCommand, StopReason } from '../commands.ts';
import { isNeverCreated, lastCreation, lastResumption } from '../definitions/creation.ts';
import {
  knownMemberFields,
  memberFields,
  hasFinished,
  isAcknowledged,
  lacksCounters,
} from '../definitions/grants.ts';
import { retryKey } from '../definitions/retry-key.ts';
import { outlivesRestore } from '../definitions/kubelets.ts';
import { refusalReason } from '../definitions/refusal.ts';
import { silenceReason } from '../definitions/silence.ts';
import type { FollowedAnnotations, MemberFacts, MemberSpec } from '../facts.ts';
import type { PlacementGrant } from '../state.ts';
import { runningSeconds } from './deadline.ts';
import { countersBefore, remainingSpec } from './give.ts';
import { whyGuardMissing, guardField, isUnguarded, podsEndedAt, renewGuard, startGuard } from './guard.ts';
import { awaitGone, lookForMember } from './look-for-member.ts';
import { endOfJob } from './member-end.ts';
import { combineVerdicts, report, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';
import { spill } from './spill.ts';

/**
 * The state of a member that the Job requires. `indexes` are the indexes of a member of a spread Job, when the
 * indexes have changed or have not reached the member.
 */
export interface Wish {
  spec: MemberSpec;
  indexes?: IndexGrant;
  /** The reason why the indexes change; absent when the indexes have merely not reached the member. */
  why?: Reason;
  /** All failures that the member continues, when they have changed. */
  failures?: ContinuedFailures;
}

/**
 * Decides for the cluster that has the Job: its member follows the Job, or is stopped so that another cluster can
 * take the Job.
 */
export function follow(
  at: PlacementSituation,
  grant: PlacementGrant,
  target: Wish = { spec: remainingSpec(at) },
): PlacementVerdict {
  const given = endLostGrant(at, grant);
  if (given !== null) return given;
  if (hasFinished(grant)) return followEnd(at, grant);
  const loss = { ...nothing, nextDecisionAt: lossAt(at, grant) };
  if (grant.member === null) {
    const unasked = whyNotAsked(at, grant);
    if (unasked !== null) return endGrant(at, grant, 'refused', unasked);
    // A request without an answer may have created the member.
    const isGuarded = (grant.guard?.uid ?? null) !== null;
    const wait = grant.requests === 0 && !isGuarded ? loss : combineVerdicts(loss, renewGuard(at, grant));
    const refused = grant.refused ?? whyGuardMissing(at, grant);
    if (refused === undefined) return combineVerdicts(beginMember(at, grant, target), wait);
    if (isNeverCreated(grant))
      return awaitGone(at, grant) ?? awaitKubelets(at, grant) ?? endGrant(at, grant, 'refused', refused);
    return combineVerdicts(lookForMember(at, grant), waitForAnswer(at, grant), wait);
  }
  if (grant.gone === true) return untilPodsAreGone(at, grant, grant.member);
  const { member } = grant;
  const wait = combineVerdicts(loss, renewGuard(at, grant));
  if (grant.stopping !== undefined)
    return combineVerdicts(stopMember(at, grant, member, grant.stopping), wait);
  const stay = stayWhileSilent(at, grant);
  const leaves = whyItLeaves(at, grant);
  if (lacksCounters(grant, member) && (leaves === null || stay !== null))
    return combineVerdicts(giveCounters(at, grant, member, target), lookUpUnseen(at, grant, member), wait);
  const changed = changeMember(at, grant, member, target);
  if (stay !== null) return combineVerdicts(changed, waitForAnswer(at, grant), stay, wait);
  if (leaves !== null)
    return combineVerdicts(stopMember(at, grant, member, leaves), waitForAnswer(at, grant), wait);
  return combineVerdicts(
    changed,
    spill(at, grant),
    waitForAnswer(at, grant),
    lookUpUnseen(at, grant, member),
    wait,
  );
}

/**
 * The time after which a member that no watch has shown is looked up, and the time from each look-up to the next, in
 * milliseconds.
 */
const UNSEEN_MS = 60_000;

/**
 * Looks up a member whose creation an answer shows, but no watch. Its cluster may have been restored from a copy that
 * lacks the member. Another client may also have deleted the member, and then no watch shows its deletion (J-16.19).
 */
function lookUpUnseen(at: PlacementSituation, grant: PlacementGrant, member: MemberFacts): PlacementVerdict {
  if (grant.isUnseen !== true) return nothing;
  const due = (grant.pods?.at ?? grant.askedAt) + UNSEEN_MS;
  if (due > at.now) return { ...nothing, nextDecisionAt: due };
  const message = `no watch has shown the member ${grant.name} in the cluster ${grant.cluster} yet: is it there?`;
  return planCommands(at, {
    kind: 'LookUpMember',
    ...knownMemberFields(grant, member),
    why: { rule: 'J-16.19', message },
  });
}

/**
 * The reason why no creation was sent and the cluster cannot take a member now, so that another cluster need not wait
 * for this cluster (J-16.6); null when the creation was sent or can be sent.
 */
function whyNotAsked({ settings }: PlacementSituation, grant: PlacementGrant): string | null {
  if (grant.requests > 0) return null;
  const refusal = refusalReason(settings.clusters?.[grant.cluster] ?? {});
  return refusal === null ? null : `no member was asked for in the cluster ${grant.cluster}: ${refusal}`;
}

/** Decides about a member that has an end: this is the end of the Job, or another member runs the remaining work. */
function followEnd(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  if (endOfJob(at, grant) !== undefined) return nothing;
  const { reason = '' } = terminalCondition(grant.member?.status ?? {}) ?? {};
  const message = `the member ${grant.name} in the cluster ${grant.cluster} has ended (${reason}), and the Job asks for more since`;
  return (
    awaitOthers(at, grant, { rule: 'J-16.7', message }) ??
    awaitKubelets(at, grant) ??
    endGrant(at, grant, 'ended', message)
  );
}

/**
 * The reason why the member must leave its cluster; null when the member may stay. A guarded member gets no pods
 * without its guard.
 */
function whyItLeaves({ settings }: PlacementSituation, grant: PlacementGrant): StopReason | null {
  if (settings.clusters?.[grant.cluster]?.cordoned?.drain === true) return 'drain';
  if (grant.isAgain === true) return 'again';
  return isUnguarded(grant) && !hasFinished(grant) ? 'unguarded' : null;
}

/**
 * Keeps the member in its cluster while the home does not answer, because no other cluster could get the manifest
 * (J-16.12).
 */
function stayWhileSilent(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict | null {
  const silent = silenceReason(at.settings, at.job.cluster);
  if (silent === null) return null;
  if (whyItLeaves(at, grant) === null) return nothing;
  const message = `${silent}; the Job leaves the cluster ${grant.cluster} when its home answers`;
  return { ...nothing, waiting: { rule: 'J-16.12', message } };
}

/** Ends a grant, for this reason (J-16.10). */
export function endGrant(
  at: PlacementSituation,
  grant: PlacementGrant,
  reason: EndReason,
  message: string,
): PlacementVerdict {
  const rule = RULES[reason];
  return planCommands(at, {
    kind: 'EndGrant',
    ...memberFields(grant),
    reason,
    why: { rule, message },
  });
}

const RULES = {
  refused: 'J-16.6',
  stopped: 'J-16.10',
  gone: 'J-16.19',
  ended: 'J-16.7',
  lost: 'J-16.14',
  guarded: 'J-16.16',
  time: 'J-16.15',
} as const;

/**
 * Ends the grant of a cluster whose pods cannot be observed, because a person declared the cluster lost, or because
 * of the policy of the Job (J-16.14, J-16.15).
 */
export function endLostGrant(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict | null {
  const word = at.settings.clusters?.[grant.cluster];
  if (word?.lost !== undefined)
    return endGrant(
      at,
      grant,
      'lost',
      `the cluster ${grant.cluster} is lost: declared by ${word.lost.by} at ${isoTime(word.lost.at)}`,
    );
  const loss = lossAt(at, grant);
  if (loss === null || loss > at.now) return null;
  const silent = silenceReason(at.settings, grant.cluster) ?? '';
  if (at.job.preferences.ifLost.kind === 'MoveWhenStopped')
    return endGrant(at, grant, 'guarded', `${silent}, and its guard has ended every pod`);
  const asked = askOnceMore(at, grant);
  if (asked !== null) return asked;
  const message = `${silent}; the Job starts elsewhere and may run twice, as its annotation accepts`;
  return combineVerdicts(endGrant(at, grant, 'time', message), report(at, 'Warning', 'MayRunTwice', message));
}

/** The time for which an answer of a cluster that is recorded as silent counts, in milliseconds. */
const ANSWERED_MS = 15_000;

/**
 * Asks the cluster again, because its silence may have been recorded before an outage of Jobledger in which no
 * process asked the cluster; the cluster loses the Job because of time only when it was recently asked. A refusal
 * shows as little about the member as the absence of an answer. The value is null when the cluster was asked and did
 * not answer (J-16.15).
 */
function askOnceMore(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict | null {
  const about = grant.member === null ? { mark: grant.mark } : knownMemberFields(grant, grant.member);
  const message = `does the cluster ${grant.cluster} still not answer?`;
  const ask: PlacementCommand = {
    kind: 'LookUpMember',
    ...memberFields(grant),
    ...about,
    why: { rule: 'J-16.15', message },
  };
  const { until = -Infinity } = at.state.retries[retryKey(ask)] ?? {};
  // The wait for an answer is longer than the first delays.
  if (until + ANSWERED_MS > at.now) return null;
  const answered = Math.max(grant.pods?.at ?? -Infinity, grant.absentAt ?? -Infinity) + ANSWERED_MS;
  if (answered <= at.now) return planCommands(at, ask);
  const waiting = { rule: 'J-16.13', message: `the cluster ${grant.cluster} answers again` } as const;
  return { ...nothing, nextDecisionAt: answered, waiting };
}

/**
 * The instant at which the policy of the Job takes the Job from a cluster that does not answer; null when the policy
 * leaves the Job in the cluster.
 */
function lossAt(at: PlacementSituation, grant: PlacementGrant): number | null {
  const since = at.settings.clusters?.[grant.cluster]?.silentSince;
  const { ifLost } = at.job.preferences;
  if (since === undefined || ifLost.kind === 'Wait') return null;
  return ifLost.kind === 'MoveAfter' ? since + ifLost.afterMs : podsEndedAt(at, grant);
}

/**
 * Sends the creation of the member when the creation got no answer, or waited for the guard; a repetition is safe,
 * because the same name cannot be given twice (J-16.6).
 */
function beginMember(
  at: PlacementSituation,
  grant: PlacementGrant,
  { spec, indexes }: Wish,
): PlacementVerdict {
  // The guard starts while the creation waits.
  const guard = startGuard(at, grant);
  const waiting = guard ?? awaitGone(at, grant) ?? (grant.member === null ? awaitKubelets(at, grant) : null);
  if (waiting !== null) return combineVerdicts(waiting, waitForAnswer(at, grant));
  // Each member of a spread Job counts its own work.
  const continues = grant.part === undefined ? continuedNow(at, grant) : grant.continues;
  const create: PlacementCommand = {
    kind: 'CreateMember',
    ...memberFields(grant),
    spec: continues === undefined ? spec : { ...spec, suspend: true },
    ...(continues !== undefined && { continues }),
    ...(indexes !== undefined && { indexes: indexes.indexes }),
    ...(grant.member !== null && { from: knownMemberFields(grant, grant.member).from }),
    mark: grant.mark,
    ...guardField(grant),
    why: {
      rule: 'J-16.6',
      message: grant.guard === undefined ? 'the creation had no answer' : 'its guard is in place',
    },
  };
  return combineVerdicts(planCommands(at, create), waitForAnswer(at, grant));
}

/**
 * Gives a member the counters that it continues; the member first gets the `completions` of the Job, because the API
 * server refuses a status with indexes that the member does not have.
 */
function giveCounters(
  at: PlacementSituation,
  grant: PlacementGrant,
  member: MemberFacts,
  target: Wish,
): PlacementVerdict {
  const suspended = { spec: { ...target.spec, suspend: true } };
  return combineVerdicts(changeMember(at, grant, member, suspended), beginMember(at, grant, target));
}

/**
 * The counters that the member continues: those from the time when the grant was given, with the work that an earlier
 * member was since then observed to finish; no other member does this work yet (J-16.18).
 */
function continuedNow(at: PlacementSituation, { number, continues }: PlacementGrant): Continued | undefined {
  const counters = countersBefore(at, number);
  if (counters === null) return continues;
  const failed = Math.max(continues?.failed ?? 0, counters.failed ?? 0);
  return { ...continues, ...counters, ...(failed > 0 && { failed }) };
}

/**
 * Decides about a member that another client deleted: another cluster gets the Job once no pod of the member runs
 * (J-16.19).
 */
export function untilPodsAreGone(
  at: PlacementSituation,
  grant: PlacementGrant,
  member: MemberFacts,
): PlacementVerdict {
  const by = grant.guard?.gone === true ? 'with its guard' : 'but not by its Job';
  const message = `the member ${grant.name} in the cluster ${grant.cluster} was deleted, ${by}`;
  const others = awaitOthers(at, grant, { rule: 'J-16.19', message });
  if (others !== null) return others;
  if (hasNoPods(at, grant))
    return combineVerdicts(
      endGrant(at, grant, 'gone', message),
      report(at, 'Warning', 'MemberDeleted', message),
    );
  return listPods(at, grant, { member, rule: 'J-16.19', message });
}

/**
 * Waits while another Job with the mark of the grant may run: a request that may still arrive creates such a Job when
 * another client deletes the member, or pods of a Job that the member has replaced have not ended. The value is null
 * when no such Job can run.
 */
function awaitOthers(
  at: PlacementSituation,
  grant: PlacementGrant,
  waiting: { rule: Rule; message: string },
): PlacementVerdict | null {
  const arrival = lastCreation(grant);
  return arrival <= at.now ? awaitGone(at, grant) : { ...nothing, nextDecisionAt: arrival, waiting };
}

/**
 * True when a list proves that no pod of the member runs: the list shows no pod, was made with the known version of
 * the member, and is recent enough to show all pods.
 */
function hasNoPods(at: PlacementSituation, grant: PlacementGrant): boolean {
  const { pods } = grant;
  const from = Math.max(listsAllFrom(at, grant), lastResumption(grant));
  return pods?.open === 0 && pods.isOld !== true && pods.at >= from;
}

/**
 * Waits because a request may have created the member before its cluster was restored from a copy without the member
 * (J-16.19); null when no pod of the member can run.
 */
function awaitKubelets(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict | null {
  // The time is counted from a decision.
  if (grant.restoredAt === null) return lookForMember(at, grant);
  const from = listsAllFrom(at, grant);
  if (from <= at.now) return null;
  const { name, cluster } = grant;
  const message = `the cluster ${cluster} was restored and has no member ${name}; pods of it may run that no list shows`;
  return { ...nothing, nextDecisionAt: from, waiting: { rule: 'J-16.19', message } };
}

/**
 * The instant after which a list shows all running pods of the member; the cluster may have been restored from a copy
 * that lacks some pods.
 */
export function listsAllFrom(
  { job }: PlacementSituation,
  { restoredAt = -Infinity, missingAt = -Infinity, thereAt = -Infinity }: PlacementGrant,
): number {
  if (restoredAt === null) return Infinity;
  return Math.max(restoredAt, missingAt, thereAt) + outlivesRestore(job.podGraceSeconds);
}

/** Stops a member, and ends its grant once its controller reports the stop and a list shows no pod that has not ended (J-16.10). */
function stopMember(
  at: PlacementSituation,
  grant: PlacementGrant,
  member: MemberFacts,
  why: StopReason,
): PlacementVerdict {
  const message = `the Job leaves the cluster ${grant.cluster}: ${STOP_WORDS[why]}`;
  const rule = STOP_RULES[why];
  const about = knownMemberFields(grant, member);
  if (grant.stopping === undefined || member.spec.suspend !== true)
    return planCommands(at, {
      kind: 'ChangeMember',
      ...about,
      spec: { suspend: true },
      stop: why,
      why: { rule, message },
    });
  if (isAcknowledged(grant) && hasNoPods(at, grant))
    return awaitOthers(at, grant, { rule, message }) ?? endGrant(at, grant, 'stopped', message);
  const first = isAcknowledged(grant) ? at.now : (grant.stoppedAt ?? at.now) + NAMED_AFTER_MS;
  return listPods(at, grant, {
    member,
    rule: 'J-16.10',
    message: `${message}; its pods end`,
    first,
  });
}

/**
 * The time after which the pods of a stopping member are listed, so that a pod that does not end is named, in
 * milliseconds.
 */
const NAMED_AFTER_MS = 30_000;
/** The time after the first list until the pods are listed again, in milliseconds; it doubles with each list, up to the longest time. */
const [LIST_AGAIN_MS, LONGEST_MS] = [1000, 60_000];

/** Lists the pods of a member that delays the move, less often with time, and reports the pod that delays it. */
export function listPods(
  at: PlacementSituation,
  grant: PlacementGrant,
  {
    member,
    rule,
    message,
    first = at.now,
  }: { member: MemberFacts; rule: Rule; message: string; first?: number },
): PlacementVerdict {
  const { pods } = grant;
  const due =
    pods === undefined ? first : pods.at + Math.min(LIST_AGAIN_MS * 2 ** (pods.times - 1), LONGEST_MS);
  if (due <= at.now)
    return planCommands(at, {
      kind: 'LookUpMember',
      ...knownMemberFields(grant, member),
      why: { rule, message },
    });
  const open = pods?.first === undefined ? '' : `; ${pods.open} have not ended, the first is ${pods.first}`;
  return {
    ...nothing,
    nextDecisionAt: due,
    waiting: { rule, message: `${message}${open}` },
  };
}

const STOP_RULES: Readonly<Record<StopReason, Rule>> = {
  drain: 'J-16.12',
  spill: 'J-16.11',
  lost: 'J-16.14',
  returned: 'J-16.18',
  end: 'J-17.6',
  unguarded: 'J-16.16',
  again: 'J-16.19',
};

const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  drain: 'it is drained',
  spill: 'its pods have found no node there',
  lost: 'it was lost',
  returned: 'another cluster has the Job',
  end: 'the Job has ended',
  unguarded: 'its guard is gone',
  again: 'its member was deleted, and a late request has created another',
};

/** Makes the spec of the member follow the spec of the Job, which may be suspended, scaled or resumed (J-16.7). */
function changeMember(
  at: PlacementSituation,
  grant: PlacementGrant,
  member: MemberFacts,
  { spec: wanted, indexes, why: reason, failures }: Wish,
): PlacementVerdict {
  const spec = differences(at, grant, member.spec, wanted);
  const annotations = annotationChanges(member.annotations, at.job.annotations);
  const changes = { ...spec, ...annotations };
  if (Object.keys(changes).length === 0 && indexes === undefined) return nothing;
  const fields = Object.entries(changes).map(([field, value]) => `${field} ${value ?? 'no more'}`);
  const asked = fields.length === 0 ? [] : [`the Job asks for ${fields.join(', ')}`];
  const resent =
    indexes === undefined || reason !== undefined ? [] : [`the indexes ${indexes.indexes} have not arrived`];
  const text = [...(reason === undefined ? [] : [reason.message]), ...asked, ...resent].join('; ');
  const command: PlacementCommand = {
    kind: 'ChangeMember',
    ...knownMemberFields(grant, member),
    spec,
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(indexes !== undefined && { indexes }),
    ...(failures !== undefined && { failures }),
    why: {
      rule: reason?.rule ?? (indexes === undefined ? 'J-16.7' : 'J-17.3'),
      message: text,
    },
  };
  const { isKept, message = '' } = at.state.retries[retryKey(command)] ?? {};
  return combineVerdicts(
    planCommands(at, command),
    isKept === true ? report(at, 'Warning', 'MemberDiffers', message) : nothing,
  );
}

/**
 * The changes of the fields of a member; the deadline of a suspended member counts from its next start, so the
 * deadline is set at that start.
 */
function differences(
  at: PlacementSituation,
  grant: PlacementGrant,
  from: MemberSpec,
  to: MemberSpec,
): MemberChange {
  const { suspend = false } = to;
  const isSuspended = from.suspend === true;
  const deadline = isSuspended ? to.activeDeadlineSeconds : runningSeconds(at, grant);
  return {
    ...(suspend !== isSuspended && { suspend }),
    ...scaleChange(from, to),
    ...(!(isSuspended && suspend) && newValue('activeDeadlineSeconds', from.activeDeadlineSeconds, deadline)),
    ...newValue('maxFailedIndexes', from.maxFailedIndexes, to.maxFailedIndexes),
    // The API server gives these two fields a default value.
    ...(to.backoffLimit !== undefined && newValue('backoffLimit', from.backoffLimit, to.backoffLimit)),
    ...(to.podReplacementPolicy !== undefined &&
      newValue('podReplacementPolicy', from.podReplacementPolicy, to.podReplacementPolicy)),
  };
}

/** The change of a field, in which null removes the field; empty when the field does not change. */
function newValue<F extends keyof MemberSpec>(
  field: F,
  from: MemberSpec[F],
  to: MemberSpec[F],
): MemberChange {
  return from === to ? {} : { [field]: to ?? null };
}

/** The changes of the annotations that follow the placed Job; null removes an annotation. */
function annotationChanges(
  from: FollowedAnnotations = {},
  to: FollowedAnnotations = {},
): Record<string, string | null> {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return Object.fromEntries(
    names.filter((name) => from[name] !== to[name]).map((name) => [name, to[name] ?? null]),
  );
}

/**
 * The change of `parallelism` and `completions`. The API server lets `completions` change only to the same value as
 * `parallelism` (J-1.18); the next change corrects `parallelism`.
 */
function scaleChange(from: MemberSpec, { parallelism, completions }: MemberSpec): MemberChange {
  if (completions !== undefined && completions !== from.completions)
    return { completions, parallelism: completions };
  return parallelism === undefined || parallelism === from.parallelism ? {} : { parallelism };
}

/**
 * Waits while the cluster does not answer: nothing is known about its pods, so no pod starts in another cluster
 * (J-16.13).
 */
function waitForAnswer({ settings }: PlacementSituation, { cluster }: PlacementGrant): PlacementVerdict {
  const silent = silenceReason(settings, cluster);
  if (silent === null) return nothing;
  const message = `${silent}; what runs there is not known`;
  return { ...nothing, waiting: { rule: 'J-16.13', message } };
}
