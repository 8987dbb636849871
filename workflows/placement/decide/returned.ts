import { isNeverCreated } from '../definitions/creation.ts';
import { hasFinished, aboutMember } from '../definitions/grants.ts';
import type { PlacementGrant } from '../state.ts';
import { lookForMember } from './look-for-member.ts';
import { inOrder, report, send } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** A cluster that was given up is back: what still runs there is stopped, and reported as overlap (J-16.18). */
export function stopReturned(at: PlacementSituation): PlacementVerdict {
  const { grants } = at.state;
  const returned = grants.filter((grant) => isUnproven(grant) && isBack(at, grant) && stillRuns(grant));
  return inOrder(
    ...returned.flatMap((grant) => {
      const { cluster, name, member } = grant;
      if (member === null) return [lookForMember(at, grant)];
      const words = `the cluster ${cluster} is back: what still runs there as ${name} has overlapped since another cluster has the Job`;
      return [
        send(at, {
          kind: 'ChangeMember',
          ...aboutMember(grant),
          uid: member.uid,
          spec: { suspend: true },
          stop: 'returned',
          why: { rule: 'J-16.18', words },
        }),
        report(at, 'Warning', 'Overlap', words),
      ];
    }),
  );
}

/** Nothing proves that it does not run. */
function isUnproven({ ended }: PlacementGrant): boolean {
  return ended?.basis === 'lost' || ended?.basis === 'time';
}

function isBack({ settings }: PlacementSituation, { cluster }: PlacementGrant): boolean {
  const word = settings.clusters?.[cluster];
  return word?.lost === undefined && word?.silentSince === undefined;
}

/** Or may run: its creation had no answer. */
function stillRuns(grant: PlacementGrant): boolean {
  if (grant.member === null) return !isNeverCreated(grant);
  return grant.gone !== true && !hasFinished(grant) && grant.member.spec.suspend !== true;
}
