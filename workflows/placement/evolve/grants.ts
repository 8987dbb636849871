import type { MemberChange, PlacementCommand, PlacementCommandOf } from '../commands.ts';
import { isForgotten, isGift } from '../definitions/grants.ts';
import { containsIndexes } from '../definitions/parts.ts';
import { foldSetback } from './setbacks.ts';
import type { IndexPart, PlacementGrant, PlacementState } from '../state.ts';

/**
 * Folds the changes that a command makes to grants; they apply from the decision on, whatever the outcome of the
 * command.
 */
export function foldGrants(
  draft: PlacementState,
  command: PlacementCommand,
  { id, now }: { id: string; now: number },
): void {
  if (!('grant' in command)) return;
  const grant = draft.grants.find(({ number }) => number === command.grant);
  if (grant === undefined) {
    if (isGift(command)) {
      const remembered = draft.grants.filter((each) => !isForgotten(each, now));
      draft.grants = [...remembered, toGrant(draft, command, { id, now })];
    }
    return;
  }
  if (command.kind === 'LookUpMember') {
    delete grant.isLookedForGone;
    if (grant.gone === true) grant.isLookedForGone = true;
  }
  if (command.kind === 'ChangeMember') foldPart(grant, command);
  if (command.kind === 'RenewGuard' && grant.guard !== undefined)
    grant.guard = { ...grant.guard, askedAt: now };
  if (command.kind === 'CreateMember') delete grant.deadline;
  if (command.kind === 'CreateMember' || command.kind === 'ChangeMember')
    foldDeadline(draft, grant, command.spec);
  if (command.kind === 'CreateMember') {
    grant.askedAt = now;
    grant.requests += 1;
  }
  if (command.kind === 'CreateMember' && command.continues !== undefined) grant.continues = command.continues;
  if (command.kind === 'EndGrant') {
    grant.ended = { at: now, reason: command.reason };
    foldSetback(draft, grant, { now, message: command.why.message });
    // Pods that were listed before the end show nothing about a member that is open after the end.
    delete grant.pods;
  }
  if (command.kind === 'ChangeMember' && command.stop !== undefined) {
    grant.stopping = command.stop;
    grant.stoppedAt = now;
    // The pods were listed before the member was stopped.
    delete grant.pods;
  }
}

/**
 * Sets the new indexes of a member; indexes that the member must lose belong to it until it has given them up
 * (J-17.4).
 */
function foldPart(
  grant: PlacementGrant,
  { spec, indexes, failures }: PlacementCommandOf<'ChangeMember'>,
): void {
  const { part } = grant;
  if (part === undefined) return;
  const parallelism = spec.parallelism ?? part.parallelism;
  grant.part = { ...part, parallelism };
  // A lower parallelism and a suspension end pods, and their indexes then no longer count as begun.
  if (parallelism < part.parallelism || spec.suspend === true) delete grant.part.begun;
  if (failures !== undefined) grant.part.failures = failures;
  if (indexes === undefined || indexes.number <= part.number) return;
  const isMore = containsIndexes(part.indexes, indexes.indexes);
  grant.part.number = indexes.number;
  if (isMore) grant.part.indexes = indexes.indexes;
  else grant.part.keeps = indexes.indexes;
  if (indexes.end !== undefined) grant.part.end = indexes.end;
}

/** Records the deadline that a change of its member sets. */
function foldDeadline(
  { job }: PlacementState,
  grant: PlacementGrant,
  { activeDeadlineSeconds: seconds }: MemberChange,
): void {
  const of = job?.spec.activeDeadlineSeconds;
  if (seconds === null) delete grant.deadline;
  else if (seconds !== undefined && of !== undefined) grant.deadline = { jobSeconds: of, seconds };
}

/** The grant that a command gives. */
function toGrant(
  draft: PlacementState,
  command: PlacementCommandOf<'CreateMember' | 'RenewGuard'>,
  { id: mark, now: since }: { id: string; now: number },
): PlacementGrant {
  const { grant, cluster, name } = command;
  const part = commandPart(command);
  const given: PlacementGrant = {
    number: grant,
    cluster,
    name,
    since,
    mark,
    askedAt: since,
    requests: command.kind === 'CreateMember' ? 1 : 0,
    member: null,
    ...(command.kind === 'RenewGuard' && {
      guard: {
        uid: null,
        isStarted: false,
        leaseSeconds: command.leaseSeconds,
        renewedAt: since,
      },
    }),
    ...(command.continues !== undefined && { continues: command.continues }),
    ...(part !== null && { part }),
  };
  if (command.kind === 'CreateMember') foldDeadline(draft, given, command.spec);
  return given;
}

/** The first indexes of a member of a spread Job. */
function commandPart(command: PlacementCommandOf<'CreateMember' | 'RenewGuard'>): IndexPart | null {
  if (command.kind === 'RenewGuard')
    return command.part === undefined ? null : { number: 1, ...command.part };
  const { indexes, spec } = command;
  return indexes === undefined ? null : { number: 1, indexes, parallelism: spec.parallelism ?? 1 };
}
