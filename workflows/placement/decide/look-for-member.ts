import { nothing } from '../../job/decide/verdict.ts';
import { lastArrival } from '../definitions/creation.ts';
import { aboutMember } from '../definitions/grants.ts';
import type { PlacementGrant } from '../state.ts';
import { send } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** An earlier request may have created it: looks whether it exists, until none can arrive any more (J-16.6). */
export function lookForMember(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const where = `the member ${grant.name} in the cluster ${grant.cluster}`;
  if (grant.absentAt !== undefined && at.now < lastArrival(grant))
    return {
      ...nothing,
      lookAgainAt: lastArrival(grant),
      waiting: { rule: 'J-16.6', words: `${where} may still be created` },
    };
  return lookByMark(at, grant);
}

/** Reads the Job with the name of the member: is it the member? */
export function lookByMark(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const where = `the member ${grant.name} in the cluster ${grant.cluster}`;
  return send(at, {
    kind: 'LookUpMember',
    ...aboutMember(grant),
    mark: grant.mark,
    why: { rule: 'J-16.6', words: `${where}: was it created?` },
  });
}
