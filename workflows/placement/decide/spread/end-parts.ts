import { nothing } from '../../../decision/verdict.ts';
import type { EndType } from '../../../batch/conditions.ts';
import { isNeverCreated } from '../../definitions/creation.ts';
import { knownMemberFields, hasFinished } from '../../definitions/grants.ts';
import { followedNumber, openParts, type PartGrant } from '../../definitions/parts.ts';
import { endGrant, endLostGrant } from '../end-grant.ts';
import { untilPodsAreGone } from '../stop-member.ts';
import { renewGuard } from '../guard.ts';
import { lookForMember } from '../look-for-member.ts';
import { combineVerdicts, planCommands } from '../plans.ts';
import type { PlacementSituation, PlacementVerdict } from '../situation.ts';

interface Ended {
  type: EndType;
  /** Why. */
  message: string;
}

/** Ends every member of a Job that has reached its end (J-17.6). */
export function endParts(at: PlacementSituation, end: Ended): PlacementVerdict {
  return combineVerdicts(...openParts(at.state).map((grant) => endPart(at, grant, end)));
}

/** Ends one member of a Job that has reached its end. */
function endPart(at: PlacementSituation, grant: PartGrant, { type, message }: Ended): PlacementVerdict {
  const given = endLostGrant(at, grant);
  if (given !== null) return given;
  const { member, part } = grant;
  if (member === null)
    return isNeverCreated(grant) && grant.restoredAt !== null
      ? endGrant(
          at,
          grant,
          'refused',
          grant.refused ?? `no member was created in the cluster ${grant.cluster}`,
        )
      : lookForMember(at, grant);
  if (hasFinished(grant)) return nothing;
  if (grant.gone === true) return untilPodsAreGone(at, grant, member);
  // The member ends its pods in its own time, and is not deleted before its pods have ended.
  const guarded = renewGuard(at, grant);
  const followed = followedNumber(member);
  if (member.grant?.end !== undefined && member.grant.number === part.number && followed === part.number)
    return guarded;
  // A grant of indexes that was sent together with the end may have arrived; a grant without the end, for example
  // after a restore, leaves the member open.
  const isSent = part.end !== undefined && followed < part.number;
  const number = isSent ? part.number : Math.max(part.number, followed) + 1;
  const ending = planCommands(at, {
    kind: 'ChangeMember',
    ...knownMemberFields(grant, member),
    spec: {},
    indexes: { number, indexes: '', end: type },
    why: {
      rule: 'J-17.6',
      message: `the Job ${type === 'Failed' ? 'has failed' : 'is complete'}: ${message}`,
    },
  });
  return combineVerdicts(ending, guarded);
}
