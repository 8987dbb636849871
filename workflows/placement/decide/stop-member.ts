import { nothing } from '../../decision/verdict.ts';
import type { Rule } from '../../decision/rule.ts';
import type { StopReason } from '../commands.ts';
import { lastCreation, lastResumption } from '../definitions/creation.ts';
import { knownMemberFields, isAcknowledged } from '../definitions/grants.ts';
import { outlivesRestore } from '../definitions/kubelets.ts';
import type { MemberFacts } from '../facts.ts';
import type { PlacementGrant } from '../state.ts';
import { awaitGone, lookForMember } from './look-for-member.ts';
import { combineVerdicts, report, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';
import { endGrant } from './end-grant.ts';

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
export function awaitOthers(
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
export function awaitKubelets(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict | null {
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
export function stopMember(
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
