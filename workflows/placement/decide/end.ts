import { nothing } from '../../job/decide/verdict.ts';
import { isFinished } from '../../job/definitions/conditions.ts';
import { expiryOf } from '../../job/definitions/expiry.ts';
import { aboutMember } from '../definitions/grants.ts';
import type { PlacementGrant } from '../state.ts';
import { releaseGuard, releaseGuards } from './guard.ts';
import { inOrder, send } from './plans.ts';
import { stopReturned } from './returned.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** A finished Job: its members stay, for their logs, until its own TTL (J-10.4). */
export function afterTheEnd(at: PlacementSituation): PlacementVerdict {
  const expiry = at.settings.ttl === true ? expiryOf(at.job) : null;
  if (expiry === null) return inOrder(stopReturned(at), releaseGuards(at));
  if (expiry > at.now)
    return inOrder(stopReturned(at), releaseGuards(at), { ...nothing, lookAgainAt: expiry });
  const why = { rule: 'J-10.4', words: 'the Job has outlived its ttlSecondsAfterFinished' } as const;
  return send(at, { kind: 'DeleteJob', expiredAt: expiry, why });
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
  if (grant.gone === true || settings.clusters?.[grant.cluster]?.lost !== undefined) return false;
  if (grant.member !== null) return true;
  return grant.refused === undefined && (grant.absentAt ?? 0) < lastArrival(grant);
}

/** How long a creation that had no answer may still arrive, in milliseconds: an attempt sends nothing after its deadline. */
const ARRIVES_WITHIN_MS = 15_000;

function lastArrival({ askedAt }: PlacementGrant): number {
  return askedAt + ARRIVES_WITHIN_MS;
}

function remove(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const about = aboutMember(grant);
  const where = `the member ${grant.name} in the cluster ${grant.cluster}`;
  if (grant.member === null && grant.absentAt !== undefined && at.now < lastArrival(grant))
    return {
      ...nothing,
      lookAgainAt: lastArrival(grant),
      waiting: { rule: 'J-16.17', words: `${where} may still be created` },
    };
  if (grant.member === null)
    return send(at, {
      kind: 'LookUpMember',
      ...about,
      mark: grant.mark,
      why: { rule: 'J-16.17', words: `${where}: was it created?` },
    });
  if (grant.deleted === true)
    return { ...nothing, waiting: { rule: 'J-16.17', words: `${where} and its pods are being deleted` } };
  return send(at, {
    kind: 'DeleteMember',
    ...about,
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
  return settings.ttl !== true || expiryOf(job) === null;
}
