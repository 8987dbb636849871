import { failuresToContinue } from '../../job/definitions/continued-failures.ts';
import type { JobState } from '../../job/state.ts';
import type { Candidates, LeftByMember } from '../settings.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';
import { countingGrant } from './grants.ts';
import { isNewer } from './member-version.ts';

/** What the stream of a member shows of it. */
export function leftBy(state: JobState): LeftByMember {
  const { job, epoch } = state;
  const left = failuresToContinue(state);
  if (job === null) return left;
  const { resourceVersion, status } = job;
  return { ...left, seen: { resourceVersion, ...(epoch > 0 && { epoch }), status } };
}

/**
 * The grants with what the streams of their members show: a status that the controller of a member has written counts, although no watch
 * has shown it before the member was deleted (J-16.7). The same grants when that is nothing new.
 */
export function withLeft<State extends Pick<PlacementState, 'grants'>>(
  state: State,
  candidates: Pick<Candidates, 'left' | 'leftBy'> | undefined,
): State {
  const last = countingGrant(state);
  const all: Record<number, LeftByMember> = {
    ...candidates?.leftBy,
    ...(last !== undefined && candidates?.left !== undefined && { [last.number]: candidates.left }),
  };
  const grants = state.grants.map((grant) => withSeen(grant, all[grant.number]));
  return grants.every((grant, at) => grant === state.grants[at]) ? state : { ...state, grants };
}

/** A member that may still run is shown by its cluster. */
function withSeen(grant: PlacementGrant, { seen }: Partial<LeftByMember> = {}): PlacementGrant {
  const { member, ended } = grant;
  if (member === null || ended === undefined || seen === undefined || !isNewer(seen, member)) return grant;
  const { epoch: _epoch, ...known } = member;
  return { ...grant, member: { ...known, ...seen } };
}
