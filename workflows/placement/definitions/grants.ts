import { isFinished, trueCondition } from '../../batch/conditions.ts';
import type { MemberVersion, PlacementCommand, PlacementCommandOf } from '../commands.ts';
import type { MemberFacts } from '../facts.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';

/** The grant that may run the Job; undefined when no cluster has the Job. */
export function holdingGrant({ grants }: PlacementState): PlacementGrant | undefined {
  const last = grants.at(-1);
  return last?.ended === undefined ? last : undefined;
}

/**
 * The grant of the member whose status is the status of the Job: the latest grant with a member. A member of an ended
 * grant counts until another cluster has the Job: the work that finished in a lost cluster counts when no other
 * member has done it (J-16.18). `before` limits the search to grants with lower numbers.
 */
export function countingGrant(
  { grants }: Pick<PlacementState, 'grants'>,
  before = Infinity,
): PlacementGrant | undefined {
  return grants.findLast(({ number, member }) => member !== null && number < before);
}

/** True when a command gives its grant, if that grant is new: each grant begins with its member, or with the guard of its member. */
export function isGift(
  command: PlacementCommand,
): command is PlacementCommandOf<'CreateMember' | 'RenewGuard'> {
  return command.kind === 'CreateMember' || command.kind === 'RenewGuard';
}

/** The number of the next grant. */
export function nextGrant({ grants }: PlacementState): number {
  return (grants.at(-1)?.number ?? 0) + 1;
}

/** True when the member has an end. */
export function hasFinished({ member }: PlacementGrant): boolean {
  return member !== null && isFinished(member.status);
}

/** True when the controller of the member reports that the member is suspended and no pod is left, and has counted everything. */
export function isAcknowledged({ member }: PlacementGrant): boolean {
  if (member === null || member.spec.suspend !== true) return false;
  const { active = 0, terminating = 0, uncountedTerminatedPods: uncounted = {} } = member.status;
  const { succeeded = [], failed = [] } = uncounted;
  return (
    trueCondition(member.status, 'Suspended') !== undefined &&
    active + terminating + succeeded.length + failed.length === 0
  );
}

/**
 * True when the member was created, and its status does not yet have the counters that it continues: if it were
 * resumed, the member would run the counted work again (J-16.10).
 */
export function lacksCounters(
  { part, continues = {} }: PlacementGrant,
  { spec, status }: MemberFacts,
): boolean {
  if (part !== undefined || spec.suspend !== true) return false;
  /** True when the status lacks a part of this counter. */
  const lacksCount = (field: 'succeeded' | 'failed'): boolean =>
    (status[field] ?? 0) < (continues[field] ?? 0);
  return lacksCount('succeeded') || lacksCount('failed');
}

/** True when the member can have pods: it exists, has no end, and is not suspended. */
export function isOpen(grant: PlacementGrant): boolean {
  const { member, gone } = grant;
  return member !== null && gone !== true && !hasFinished(grant) && member.spec.suspend !== true;
}

/** The time for which a refused grant is remembered, in milliseconds, because an outcome may arrive late. */
const REMEMBERED_MS = 300_000;

/** True when the grant ended some time ago, no member was created, and no guard remains. */
export function isForgotten({ ended, member, guard }: PlacementGrant, now: number): boolean {
  const isRefused = ended?.reason === 'refused' && member === null;
  const hasGuard = guard !== undefined && guard.uid !== null && guard.gone !== true;
  return isRefused && !hasGuard && now - ended.at > REMEMBERED_MS;
}

/** The fields by which a command names this member of a grant and the version of the member. */
export function knownMemberFields(
  grant: PlacementGrant,
  { uid, resourceVersion, generation, epoch }: MemberFacts,
): ReturnType<typeof memberFields> & { uid: string; from: MemberVersion } {
  const from = {
    resourceVersion,
    generation,
    ...(epoch !== undefined && { epoch }),
  };
  return { ...memberFields(grant), uid, from };
}

/** The fields by which a command names the member of a grant. */
export function memberFields({ cluster, number, name }: PlacementGrant): {
  cluster: string;
  grant: number;
  name: string;
} {
  return { cluster, grant: number, name };
}
