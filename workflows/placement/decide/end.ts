import { nothing } from '../../decision/verdict.ts';
import { isFinished, terminalCondition, type EndType } from '../../batch/conditions.ts';
import { jobExpiry } from '../../batch/expiry.ts';
import { isNeverCreated, lastArrival, lastCreation } from '../definitions/creation.ts';
import { memberFields, hasFinished, isOpen } from '../definitions/grants.ts';
import { openParts } from '../definitions/parts.ts';
import { retryKey } from '../definitions/retry-key.ts';
import { listPods } from './stop-member.ts';
import { lookForMember } from './look-for-member.ts';
import { endParts } from './spread/end-parts.ts';
import type { PlacementSettings } from '../settings.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';
import { releaseGuard, releaseGuards } from './guard.ts';
import { combineVerdicts, planCommands } from './plans.ts';
import { stopReturned } from './returned.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** Decides about a finished Job: its members stay, because of their logs, until its own TTL (J-10.4). */
export function afterTheEnd(at: PlacementSituation): PlacementVerdict {
  const expiry = at.settings.ttl === true ? jobExpiry(at.job) : null;
  const left = combineVerdicts(endParts(at, jobEnd(at)), stopReturned(at), releaseGuards(at));
  if (expiry === null) return left;
  if (expiry > at.now) return combineVerdicts(left, { ...nothing, nextDecisionAt: expiry });
  const why = {
    rule: 'J-10.4',
    message: 'the Job has outlived its ttlSecondsAfterFinished',
  } as const;
  return combineVerdicts(left, planCommands(at, { kind: 'DeleteJob', expiredAt: expiry, why }));
}

/** The end of a finished Job. */
function jobEnd({ job }: PlacementSituation): { type: EndType; message: string } {
  const { type, message = '' } = terminalCondition(job.status) ?? {};
  return { type: type === 'Failed' ? 'Failed' : 'Complete', message };
}

/**
 * Decides about a Job that is being deleted: its members are deleted first, and then its finalizer is removed
 * (J-16.17).
 */
export function decideDeletion(at: PlacementSituation): PlacementVerdict {
  const { grants } = at.state;
  const all = grants.filter(mayExist);
  const left = all.filter((grant) => !isDeclaredLost(at.settings, grant));
  const guards = combineVerdicts(...grants.map((grant) => releaseGuard(at, grant)));
  if (left.length > 0) return combineVerdicts(...left.map((grant) => removeMember(at, grant)), guards);
  if (guards.commands.length > 0) return guards;
  if (at.state.gone)
    return combineVerdicts(...all.map((grant) => atLongIntervals(at, removeMember(at, grant))));
  if (!at.job.held) return nothing;
  const why = { rule: 'J-16.17', message: 'no member is left' } as const;
  return planCommands(at, {
    kind: 'RemoveFinalizer',
    resourceVersion: at.job.resourceVersion,
    why,
  });
}

/**
 * True when a person has declared the cluster lost; the deletion of the Job waits for no member in such a cluster.
 */
function isDeclaredLost({ clusters }: PlacementSettings, { cluster }: PlacementGrant): boolean {
  return clusters?.[cluster]?.lost !== undefined;
}

/**
 * True when the member may exist; this includes a member that is gone, as long as an earlier request may create it
 * again, and until a later look-up has found no member.
 */
function mayExist(grant: PlacementGrant): boolean {
  if (grant.gone !== true) return !isNeverCreated(grant);
  return grant.isDoubtful === true && (grant.absentAt ?? 0) < lastArrival(grant);
}

/**
 * The additional wait after an error of a lost cluster, which doubles with each error, and its longest value, in
 * milliseconds.
 */
const [ASK_AGAIN_MS, LONGEST_MS] = [60_000, 24 * 3_600_000];

/**
 * Repeats a verdict at long intervals when the Job is gone and its cluster is lost, because no fact shows when that
 * cluster returns.
 */
function atLongIntervals(at: PlacementSituation, verdict: PlacementVerdict): PlacementVerdict {
  const [command] = verdict.commands;
  const retry = command === undefined ? undefined : at.state.retries[retryKey(command)];
  const due =
    retry === undefined ? at.now : retry.until + Math.min(ASK_AGAIN_MS * 2 ** retry.errors, LONGEST_MS);
  return due <= at.now ? verdict : { ...nothing, nextDecisionAt: due };
}

/** Deletes a member, or waits for the end of its deletion. */
function removeMember(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const { cluster, name, member } = grant;
  if (member === null || grant.gone === true) return lookForMember(at, grant);
  if (grant.deleted === true) {
    const message = `the member ${name} in the cluster ${cluster} and its pods are being deleted`;
    // Facts about members arrive in the order of the facts about their Job, and no list shows the end of a member
    // that no list has shown.
    if (at.state.gone || grant.isUnseen === true)
      return listPods(at, grant, { member, rule: 'J-16.17', message });
    return { ...nothing, waiting: { rule: 'J-16.17', message } };
  }
  const arrival = lastCreation(grant);
  if (arrival > at.now) {
    const message = `a late request may create the member ${name} in the cluster ${cluster} again if it is deleted now`;
    return { ...nothing, nextDecisionAt: arrival, waiting: { rule: 'J-16.17', message } };
  }
  return planCommands(at, {
    kind: 'DeleteMember',
    ...memberFields(grant),
    uid: member.uid,
    why: { rule: 'J-16.17', message: 'the Job is being deleted' },
  });
}

/**
 * True when the workflow of this Job may complete: no work remains until an event occurs for the Job. A member in a
 * cluster that does not answer, or is lost, is deleted or stopped when the cluster returns (J-16.17, J-16.18).
 */
export function isOver(state: PlacementState, settings: PlacementSettings): boolean {
  const { job, gone, requests, grants } = state;
  if (requests.length > 0) return false;
  if (gone) return !grants.some(mayExist);
  if (job === null || job.deleting || !isFinished(job.status)) return false;
  if (openParts(state).some((grant) => !hasFinished(grant) && mayExist(grant))) return false;
  if (grants.some((grant) => grant.ended !== undefined && mayBeOpen(grant))) return false;
  return settings.ttl !== true || jobExpiry(job) === null;
}

/** True when the grant may have a member that can run pods. */
function mayBeOpen(grant: PlacementGrant): boolean {
  return grant.member === null ? !isNeverCreated(grant) : isOpen(grant);
}
