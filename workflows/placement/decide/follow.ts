import { nothing } from '../../decision/verdict.ts';
import { terminalCondition } from '../../batch/conditions.ts';
import type { Continued, PlacementCommand, StopReason } from '../commands.ts';
import { isNeverCreated } from '../definitions/creation.ts';
import { knownMemberFields, memberFields, hasFinished, lacksCounters } from '../definitions/grants.ts';
import { refusalReason } from '../definitions/refusal.ts';
import { silenceReason } from '../definitions/silence.ts';
import type { MemberFacts } from '../facts.ts';
import type { PlacementGrant } from '../state.ts';
import { countersBefore, remainingSpec } from './give.ts';
import { whyGuardMissing, guardField, isUnguarded, renewGuard, startGuard } from './guard.ts';
import { awaitGone, lookForMember } from './look-for-member.ts';
import { endOfJob } from './member-end.ts';
import { combineVerdicts, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';
import { spill } from './spill.ts';
import { type WantedMember, changeMember } from './change-member.ts';
import { endLostGrant, lossAt, endGrant } from './end-grant.ts';
import { awaitKubelets, untilPodsAreGone, stopMember, awaitOthers } from './stop-member.ts';

/**
 * Decides for the cluster that has the Job: its member follows the Job, or is stopped so that another cluster can
 * take the Job.
 */
export function follow(
  at: PlacementSituation,
  grant: PlacementGrant,
  target: WantedMember = { spec: remainingSpec(at) },
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

/**
 * Sends the creation of the member when the creation got no answer, or waited for the guard; a repetition is safe,
 * because the same name cannot be given twice (J-16.6).
 */
function beginMember(
  at: PlacementSituation,
  grant: PlacementGrant,
  { spec, indexes }: WantedMember,
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
  target: WantedMember,
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
 * Waits while the cluster does not answer: nothing is known about its pods, so no pod starts in another cluster
 * (J-16.13).
 */
function waitForAnswer({ settings }: PlacementSituation, { cluster }: PlacementGrant): PlacementVerdict {
  const silent = silenceReason(settings, cluster);
  if (silent === null) return nothing;
  const message = `${silent}; what runs there is not known`;
  return { ...nothing, waiting: { rule: 'J-16.13', message } };
}
