import { checkPlacement } from '../invariants/check-placement.ts';
import { withhold } from '../../decision/invariants/withhold.ts';
import type { PlacementCommand } from '../commands.ts';
import { withSeen } from '../evolve/members.ts';
import { withFreshCandidates, type PlacementSettings } from '../settings.ts';
import type { PlacementState } from '../state.ts';
import { decide as decideUnchecked } from './decide.ts';
import type { PlacementVerdict } from './situation.ts';

/**
 * Decides about a placed Job; when a command breaks an invariant, the decision creates no member and ends no grant,
 * so that no other member is created instead (J-18.1).
 */
export function decide(before: PlacementState, now: number, given: PlacementSettings): PlacementVerdict {
  const settings = withFreshCandidates(given, now);
  const state = withSeen(before, settings.candidates?.seen);
  const verdict = withInvariants(state, decideUnchecked(state, now, settings));
  return state === before ? verdict : { ...verdict, candidates: 'read' };
}

/** Withholds the commands that let a cluster run more pods when a command of the verdict breaks an invariant. */
export function withInvariants(state: PlacementState, verdict: PlacementVerdict): PlacementVerdict {
  return withhold<PlacementCommand, PlacementVerdict>(verdict, {
    broken: checkPlacement(state, verdict.commands),
    approval: state.approval,
    before: state.waiting,
    makesRunnable: (command) => makesRunnable(state, command),
  });
}

/**
 * True when the command lets a cluster run more pods: it creates or resumes a member, gives more indexes, or ends a
 * grant that prevents another grant. Renewals of an existing guard continue.
 */
function makesRunnable({ grants }: PlacementState, command: PlacementCommand): boolean {
  switch (command.kind) {
    case 'CreateMember':
    case 'EndGrant':
      return true;
    case 'RenewGuard':
      return !grants.some(({ number }) => number === command.grant);
    case 'ChangeMember':
      return (
        command.spec.suspend === false || (command.indexes !== undefined && command.indexes.end === undefined)
      );
    case 'AddFinalizer':
    case 'RemoveFinalizer':
    case 'ReleaseGuard':
    case 'DeleteMember':
    case 'LookUpMember':
    case 'ShareOut':
    case 'WriteStatus':
    case 'EmitEvents':
    case 'SetSuspend':
    case 'DeleteJob':
      return false;
  }
}
