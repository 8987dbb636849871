import { nothing } from '../../decision/verdict.ts';
import { isNeverCreated } from '../definitions/creation.ts';
import { knownMemberFields, isOpen } from '../definitions/grants.ts';
import type { PlacementGrant } from '../state.ts';
import { lookForMember } from './look-for-member.ts';
import { combineVerdicts, report, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/**
 * Looks for open members of ended grants, whatever ended the grant: the cluster had lost the Job and has returned,
 * the cluster was restored from an older copy, or another client has resumed the member or created it again. An open
 * member is looked up, stopped, and reported as overlap (J-16.18).
 */
export function stopReturned(at: PlacementSituation): PlacementVerdict {
  const ended = at.state.grants.filter((grant) => grant.ended !== undefined && isAnswering(at, grant));
  return combineVerdicts(...ended.map((grant) => stopAgain(at, grant)));
}

/** True when the cluster is neither lost nor silent. */
function isAnswering({ settings }: PlacementSituation, { cluster }: PlacementGrant): boolean {
  const word = settings.clusters?.[cluster];
  return word?.lost === undefined && word?.silentSince === undefined;
}

/** Stops an open member of an ended grant, or looks it up when its state is not known. */
function stopAgain(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const { cluster, name, member, pods, ended } = grant;
  if (grant.gone === true) return nothing;
  if (member === null) return isNeverCreated(grant) ? nothing : lookForMember(at, grant);
  if (!isOpen(grant)) return nothing;
  const about = knownMemberFields(grant, member);
  const where = `the member ${name} in the cluster ${cluster}`;
  /** The reason for a command about such a member. */
  const why = (message: string) => ({ rule: 'J-16.18' as const, message });
  if (pods === undefined)
    return planCommands(at, {
      kind: 'LookUpMember',
      ...about,
      why: why(`is ${where} open, after its grant has ended?`),
    });
  const message = `${where} was open after its grant had ended (${ended?.reason}): what it ran since then has overlapped`;
  return combineVerdicts(
    planCommands(at, {
      kind: 'ChangeMember',
      ...about,
      spec: { suspend: true },
      stop: 'returned',
      why: why(message),
    }),
    report(at, 'Warning', 'Overlap', message),
  );
}
