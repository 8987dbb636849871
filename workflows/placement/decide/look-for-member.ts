import { nothing } from '../../decision/verdict.ts';
import { lastArrival } from '../definitions/creation.ts';
import { knownMemberFields, memberFields } from '../definitions/grants.ts';
import type { PlacementGrant } from '../state.ts';
import { planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** Looks for a member that an earlier request may have created, until no request can arrive any more (J-16.6). */
export function lookForMember(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const where = `the member ${grant.name} in the cluster ${grant.cluster}`;
  if (grant.absentAt !== undefined && at.now < lastArrival(grant))
    return {
      ...nothing,
      nextDecisionAt: lastArrival(grant),
      waiting: { rule: 'J-16.6', message: `${where} may still be created` },
    };
  return planCommands(at, {
    kind: 'LookUpMember',
    ...memberFields(grant),
    mark: grant.mark,
    why: { rule: 'J-16.6', message: `${where}: was it created?` },
  });
}

/**
 * Waits while pods of a deleted Job with the name of the member may run: this Job was, or may have been, the member,
 * so no member is created, and no other cluster gets the Job. The value is null when no such deleted Job exists
 * (J-16.19).
 */
export function awaitGone(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict | null {
  const { seenGone, replaced: [first] = [] } = grant;
  const uid = seenGone === undefined || seenGone.isOver === true ? first : seenGone.uid;
  if (uid === undefined) return null;
  const message = `a Job ${grant.name} in the cluster ${grant.cluster} was deleted: have its pods ended?`;
  return planCommands(at, {
    kind: 'LookUpMember',
    ...memberFields(grant),
    ...(grant.member !== null && { from: knownMemberFields(grant, grant.member).from }),
    gone: uid,
    why: { rule: 'J-16.19', message },
  });
}
