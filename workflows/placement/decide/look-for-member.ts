import { nothing } from '../../job/decide/verdict.ts';
import { aboutMember } from '../definitions/grants.ts';
import type { PlacementGrant } from '../state.ts';
import { send } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** How long a creation that had no answer may still arrive, in milliseconds: an attempt sends nothing after its deadline. */
const ARRIVES_WITHIN_MS = 15_000;

export function lastArrival({ askedAt }: PlacementGrant): number {
  return askedAt + ARRIVES_WITHIN_MS;
}

/** Its creation had no answer: looks whether it exists, until it cannot arrive any more. */
export function lookForMember(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const where = `the member ${grant.name} in the cluster ${grant.cluster}`;
  if (grant.absentAt !== undefined && at.now < lastArrival(grant))
    return {
      ...nothing,
      lookAgainAt: lastArrival(grant),
      waiting: { rule: 'J-16.17', words: `${where} may still be created` },
    };
  return send(at, {
    kind: 'LookUpMember',
    ...aboutMember(grant),
    mark: grant.mark,
    why: { rule: 'J-16.17', words: `${where}: was it created?` },
  });
}
