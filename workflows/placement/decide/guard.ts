import { DEFAULT_GRACE_SECONDS } from '../definitions/kubelets.ts';
import { nothing } from '../../decision/verdict.ts';
import type { PlacementCommandOf } from '../commands.ts';
import { lastArrival } from '../definitions/creation.ts';
import { memberFields, hasFinished } from '../definitions/grants.ts';
import { guardName } from '../definitions/member-name.ts';
import { silenceReason } from '../definitions/silence.ts';
import type { PlacementGrant, Guard } from '../state.ts';
import { combineVerdicts, report, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** The number of renewals of the guard within its lease. */
const RENEWALS = 3;
/** The time that the cluster's own Job controller may take to start the guard, in milliseconds. */
const STARTS_WITHIN_MS = 60_000;
/** The time after which a guard that has not started is checked again, in milliseconds. */
const LOOK_AGAIN_MS = 1000;
/**
 * The highest difference between the clocks of one control plane, in milliseconds, and the factor by which a clock
 * may be slow.
 */
const CLOCKS = { apartMs: 10_000, rate: 1.02 };
/** The time that the cluster's controllers may take to delete the objects that the guard owns, in milliseconds. */
const DELETION_MS = 60_000;

/** The guard that the Job asks for; null when the Job does not ask for a guard. */
export function guardWish({ job }: PlacementSituation): { leaseSeconds: number } | null {
  const { ifLost } = job.preferences;
  return ifLost.kind === 'MoveWhenStopped' ? { leaseSeconds: Math.ceil(ifLost.afterMs / 1000) } : null;
}

/**
 * The verdict about MoveWhenStopped without a deadline of the pods; the kubelet enforces such a deadline even when
 * the API server is down (J-16.16).
 */
export function guardTrouble(at: PlacementSituation): PlacementVerdict | null {
  if (guardWish(at) === null || at.job.podDeadlineSeconds !== undefined) return null;
  const message =
    'MoveWhenStopped needs spec.template.spec.activeDeadlineSeconds: without it, nothing ends a pod whose node cannot reach its API server';
  return combineVerdicts(
    { ...nothing, waiting: { rule: 'J-16.16', message } },
    report(at, 'Warning', 'NoPodDeadline', message),
  );
}

/**
 * The verdict before the member is created: its guard must exist, and the cluster must count the deadline of the
 * guard. The value is null when the cluster counts the deadline, or when the Job has no guard.
 */
export function startGuard(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict | null {
  const { guard, cluster } = grant;
  if (guard === undefined || guard.isStarted) return null;
  if (isSilent(at, grant)) return nothing;
  const again = guard.renewedAt + LOOK_AGAIN_MS;
  if (guard.uid !== null && at.now < again) {
    const message = `the cluster ${cluster} has not started the guard yet`;
    return {
      ...nothing,
      nextDecisionAt: again,
      waiting: { rule: 'J-16.16', message },
    };
  }
  return sendRenewal(at, grant, guard, 'the guard must have started before the member is created');
}

/**
 * The reason why no member is created without its guard; an earlier request without an answer may have created the
 * member (J-16.16). The value is undefined when the member may be created.
 */
export function whyGuardMissing(at: PlacementSituation, grant: PlacementGrant): string | undefined {
  const { guard, cluster, since } = grant;
  if (guard === undefined) return undefined;
  if (guard.gone === true) return 'the guard was deleted before the member was created';
  const isLate = guard.uid !== null && !guard.isStarted && at.now - since > STARTS_WITHIN_MS;
  if (!isLate || isSilent(at, grant)) return undefined;
  return `the built-in Job controller of the cluster ${cluster} does not start the guard`;
}

/** True when no guard ends the member any more. After a restore, the guard is looked up first. */
export function isUnguarded({ guard }: PlacementGrant): boolean {
  return guard?.gone === true && guard.isUnproven !== true;
}

/**
 * True when the cluster does not answer. A renewal without an answer may have been carried out, and the wait would
 * then start over, so no renewal is sent to such a cluster.
 */
function isSilent({ settings }: PlacementSituation, { cluster }: PlacementGrant): boolean {
  return silenceReason(settings, cluster) !== null;
}

/** Renews the guards of all members that may run. */
export function renewGuards(at: PlacementSituation): PlacementVerdict {
  const open = at.state.grants.filter(
    ({ member, gone, ended, requests }) =>
      (member !== null || requests > 0) && gone !== true && ended === undefined,
  );
  return combineVerdicts(...open.map((grant) => renewGuard(at, grant)));
}

/** Renews the guard of a member while it may run. */
export function renewGuard(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const { guard } = grant;
  if (guard === undefined || isUnguarded(grant) || hasFinished(grant) || isSilent(at, grant)) return nothing;
  const interval = (guard.leaseSeconds * 1000) / RENEWALS;
  const due = guard.gone === true ? at.now : guard.renewedAt + interval;
  if (due > at.now) return { ...nothing, nextDecisionAt: due };
  return sendRenewal(at, grant, guard, `the guard is renewed every ${Math.round(interval / 1000)} s`);
}

/** The command that creates a guard or renews its lease. */
function sendRenewal(
  at: PlacementSituation,
  grant: PlacementGrant,
  { uid, leaseSeconds }: Guard,
  message: string,
): PlacementVerdict {
  return planCommands(at, {
    kind: 'RenewGuard',
    ...memberFields(grant),
    leaseSeconds,
    mark: grant.mark,
    ...(uid !== null && { uid }),
    why: { rule: 'J-16.16', message },
  });
}

/** Deletes the guards that members no longer need, because these members have an end, or were stopped. */
export function releaseGuards(at: PlacementSituation): PlacementVerdict {
  const done = at.state.grants.filter((grant) => hasFinished(grant) || grant.ended !== undefined);
  return combineVerdicts(...done.map((grant) => releaseGuard(at, grant)));
}

/** Deletes a guard, and keeps the objects that the guard owns. A guard that Jobledger cannot reach deletes itself. */
export function releaseGuard(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const { guard, ended, member } = grant;
  if (guard === undefined || guard.uid === null || isUnguarded(grant)) return nothing;
  if (ended !== undefined && ['guarded', 'lost', 'time'].includes(ended.reason)) return nothing;
  return planCommands(at, {
    kind: 'ReleaseGuard',
    ...memberFields(grant),
    uid: guard.uid,
    ...(member !== null && grant.gone !== true && { member: member.uid }),
    why: { rule: 'J-16.16', message: 'the member needs no guard any more' },
  });
}

/** The guard as the owner of the member. */
export function guardField({
  name,
  guard,
}: PlacementGrant): Pick<PlacementCommandOf<'CreateMember'>, 'guard'> {
  return guard === undefined || guard.uid === null
    ? {}
    : { guard: { name: guardName(name), uid: guard.uid } };
}

/**
 * The instant at which every pod of a grant in a cluster that does not answer has ended, in milliseconds. First the
 * lease ends, and the cluster's controllers delete the member and its pods; a kubelet that does not learn of the
 * deletion ends its pods by their own deadline. The value is null without a guard, for example because the annotation
 * was added later, since nothing then ends the pods. Clocks may differ (J-16.16).
 */
export function podsEndedAt(at: PlacementSituation, { guard }: PlacementGrant): number | null {
  if (guard === undefined || guard.gone === true) return null;
  const { podDeadlineSeconds = 0, podGraceSeconds = DEFAULT_GRACE_SECONDS } = at.job;
  const span = DELETION_MS + (guard.leaseSeconds + podDeadlineSeconds + podGraceSeconds) * 1000;
  const arrival = guard.askedAt === undefined ? 0 : lastArrival({ askedAt: guard.askedAt });
  return Math.max(guard.renewedAt, arrival) + span * CLOCKS.rate + CLOCKS.apartMs;
}
