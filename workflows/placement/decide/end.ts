import { nothing } from '../../job/decide/verdict.ts';
import { isFinished, terminalCondition, type EndType } from '../../job/definitions/conditions.ts';
import { expiryOf } from '../../job/definitions/expiry.ts';
import { isNeverCreated } from '../definitions/creation.ts';
import { aboutMember, hasFinished } from '../definitions/grants.ts';
import { openParts } from '../definitions/parts.ts';
import { lookForMember } from './look-for-member.ts';
import { endParts } from './spread/end-parts.ts';
import type { PlacementGrant } from '../state.ts';
import { releaseGuard, releaseGuards } from './guard.ts';
import { inOrder, send } from './plans.ts';
import { stopReturned } from './returned.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** A finished Job: its members stay, for their logs, until its own TTL (J-10.4). */
export function afterTheEnd(at: PlacementSituation): PlacementVerdict {
  const expiry = at.settings.ttl === true ? expiryOf(at.job) : null;
  const left = inOrder(endParts(at, endOf(at)), stopReturned(at), releaseGuards(at));
  if (expiry === null) return left;
  if (expiry > at.now) return inOrder(left, { ...nothing, lookAgainAt: expiry });
  const why = { rule: 'J-10.4', words: 'the Job has outlived its ttlSecondsAfterFinished' } as const;
  return send(at, { kind: 'DeleteJob', expiredAt: expiry, why });
}

function endOf({ job }: PlacementSituation): { type: EndType; words: string } {
  const { type, message = '' } = terminalCondition(job.status) ?? {};
  return { type: type === 'Failed' ? 'Failed' : 'Complete', words: message };
}

/** The Job is being deleted: its members go first, and then its finalizer (J-16.17). */
export function deleting(at: PlacementSituation): PlacementVerdict {
  const { grants } = at.state;
  const left = grants.filter((grant) => mayExist(at, grant));
  const guards = inOrder(...grants.map((grant) => releaseGuard(at, grant)));
  if (left.length > 0) return inOrder(...left.map((grant) => remove(at, grant)), guards);
  if (guards.commands.length > 0) return guards;
  if (at.state.gone || !at.job.held) return nothing;
  const why = { rule: 'J-16.17', words: 'no member is left' } as const;
  return send(at, { kind: 'ReleaseJob', resourceVersion: at.job.resourceVersion, why });
}

/** A member in a cluster that a person has declared lost is not waited for. */
function mayExist({ settings }: PlacementSituation, grant: PlacementGrant): boolean {
  if (settings.clusters?.[grant.cluster]?.lost !== undefined) return false;
  return grant.seen !== undefined || (grant.gone !== true && !isNeverCreated(grant));
}

function remove(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const { cluster, name } = grant;
  if (grant.member === null || grant.gone === true) return lookForMember(at, grant);
  if (grant.deleted === true) {
    const words = `the member ${name} in the cluster ${cluster} and its pods are being deleted`;
    return { ...nothing, waiting: { rule: 'J-16.17', words } };
  }
  return send(at, {
    kind: 'DeleteMember',
    ...aboutMember(grant),
    uid: grant.member.uid,
    why: { rule: 'J-16.17', words: 'the Job is being deleted' },
  });
}

/** Whether the workflow of this Job may complete: nothing is left to do until something happens to it. */
export function isOver(
  state: PlacementSituation['state'],
  settings: PlacementSituation['settings'],
): boolean {
  const { job, gone, requests, grants } = state;
  if (requests.length > 0) return false;
  if (gone) return job === null || !grants.some((grant) => mayExist({ state, job, now: 0, settings }, grant));
  if (job === null || job.deleting || !isFinished(job.status)) return false;
  // A member that does not answer ends when it does.
  if (
    openParts(state).some((grant) => !hasFinished(grant) && mayExist({ state, job, now: 0, settings }, grant))
  )
    return false;
  return settings.ttl !== true || expiryOf(job) === null;
}
