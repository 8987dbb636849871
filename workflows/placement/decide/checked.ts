import { eventAbout, withheldBecause } from '../../invariants/broken.ts';
import { checkPlacement } from '../../invariants/check-placement.ts';
import { isSameJson } from '../../job/definitions/digest.ts';
import type { PlacementCommand } from '../commands.ts';
import type { PlacementSettings } from '../settings.ts';
import type { PlacementState } from '../state.ts';
import { decide as decideUnchecked } from './decide.ts';
import type { PlacementVerdict } from './situation.ts';

/**
 * The decision, unless its commands break an invariant: then no member is created, and no grant ends, so that none is created instead,
 * until a decision breaks none. A Warning Event says so once (J-18.1).
 */
export function decide(state: PlacementState, now: number, settings: PlacementSettings): PlacementVerdict {
  return withInvariants(state, decideUnchecked(state, now, settings));
}

export function withInvariants(state: PlacementState, verdict: PlacementVerdict): PlacementVerdict {
  const broken = checkPlacement(state, verdict.commands);
  if (broken.length === 0) return verdict;
  const waiting = withheldBecause(broken);
  const commands = verdict.commands.filter((command) => !makesRunnable(state, command));
  if (!isSameJson(waiting, state.waiting))
    commands.push({ kind: 'EmitEvents', events: [eventAbout(waiting)], why: waiting });
  return { ...verdict, commands, waiting, broken };
}

/** It lets a cluster run more: a new member, more indexes, or a grant less that stands in the way. A guard that exists is still renewed. */
function makesRunnable({ grants }: PlacementState, command: PlacementCommand): boolean {
  switch (command.kind) {
    case 'CreateMember':
    case 'EndGrant':
      return true;
    case 'RenewGuard':
      return !grants.some(({ number }) => number === command.grant);
    case 'ChangeMember':
      return command.indexes !== undefined && command.indexes.end === undefined;
    case 'HoldJob':
    case 'ReleaseJob':
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
