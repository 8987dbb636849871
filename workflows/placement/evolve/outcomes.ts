import type { PlacementCommand, PlacementCommandOf } from '../commands.ts';
import type { PlacementOutcomeRecorded } from '../events.ts';
import type { PlacedJobFacts } from '../facts.ts';
import type { PlacementOutcome } from '../outcomes.ts';
import type { Guard, PlacementGrant, PlacementState } from '../state.ts';
import { foldAnsweredGone, foldCreated, renewMember } from './members.ts';
import { foldGone, foldPlacedJob } from './placed-job.ts';
import { foldRetries } from './retries.ts';
import { endRefusals } from './setbacks.ts';
import { isAbout, foldLookUp } from './look-up-outcome.ts';

/** Folds the outcome of a command of the last decision, and also of a superseded decision, because an object that such a command created exists. */
export function foldOutcome(
  draft: PlacementState,
  { decision, command: at, attempt, outcome }: PlacementOutcomeRecorded['data'],
): void {
  const isOfLast = decision === draft.last?.id;
  const command = isOfLast ? draft.pending[at] : undefined;
  const versionBefore = draft.version;
  foldEffect(draft, command, { ...outcome, attempt });
  if (command === undefined) return;
  foldRetries(draft, command, outcome, draft.version !== versionBefore);
  if (at === draft.pending.length - 1) draft.pending = [];
}

/** Folds the effect of a command on the placed Job or on a member. */
function foldEffect(draft: PlacementState, command: PlacementCommand | undefined, outcome: Answer): void {
  switch (outcome.kind) {
    case 'AddFinalizer':
    case 'RemoveFinalizer':
    case 'WriteStatus':
      if (outcome.result === 'gone') foldAnsweredHomeGone(draft);
      else if ('job' in outcome) foldAnswered(draft, outcome.job);
      return;
    case 'SetSuspend':
      // The command is sent again even if a restore of the home may have undone it.
      if (outcome.result === 'unanswered' || !isOfEpoch(draft)) return;
      draft.requests = draft.requests.filter(({ id }) => id !== outcome.request);
      if (outcome.result === 'gone') foldAnsweredHomeGone(draft);
      else if (outcome.result === 'done') foldAnswered(draft, outcome.job);
      return;
    case 'DeleteJob':
      if (outcome.result === 'gone') foldAnsweredHomeGone(draft);
      else if (outcome.result === 'kept') foldAnswered(draft, outcome.job);
      return;
    case 'CreateMember':
    case 'RenewGuard':
    case 'ReleaseGuard':
    case 'ChangeMember':
    case 'DeleteMember':
    case 'LookUpMember':
      return foldOfMember(draft, command, outcome);
    case 'skipped':
      return foldSkipped(draft, command, outcome);
    case 'EndGrant':
    case 'ShareOut':
    case 'EmitEvents':
      return;
  }
}

/** Folds a creation that was not sent. A later attempt may follow an attempt that has sent the creation. */
function foldSkipped(
  draft: PlacementState,
  command: PlacementCommand | undefined,
  { attempt, at }: Answer,
): void {
  if (command?.kind !== 'CreateMember') return;
  const grant = draft.grants.find(({ number }) => number === command.grant);
  if (grant === undefined) return;
  if (attempt === 1) grant.requests -= 1;
  else {
    grant.isDoubtful = true;
    grant.askedAt = Math.max(grant.askedAt, at);
  }
}

/** An outcome of an attempt to carry out the decision; the attempts are counted from 1. */
type Answer = PlacementOutcome & { attempt: number };

type OfMember = Extract<
  Answer,
  {
    kind: 'CreateMember' | 'RenewGuard' | 'ReleaseGuard' | 'ChangeMember' | 'DeleteMember' | 'LookUpMember';
  }
>;

/** Folds the outcome of a command to a member. */
function foldOfMember(draft: PlacementState, command: PlacementCommand | undefined, outcome: OfMember): void {
  if (outcome.kind === 'CreateMember' && outcome.result === 'stale') {
    if (outcome.job === null) foldAnsweredHomeGone(draft);
    else foldAnswered(draft, outcome.job);
  }
  if (command === undefined) return foldLateCreation(draft, outcome);
  const grant = 'grant' in command ? draft.grants.find(({ number }) => number === command.grant) : undefined;
  if (grant === undefined) return;
  if (outcome.kind === 'RenewGuard') return foldGuard(grant, outcome);
  if (outcome.kind === 'CreateMember') {
    if (outcome.result === 'created') endRefusals(draft, grant.cluster);
    return foldCreation(grant, outcome);
  }
  if (command.kind === 'ChangeMember' && mayArrive(outcome)) noteResumption(grant, command, outcome.at);
  if (outcome.result === 'unanswered') return;
  // A fact may have made another Job the member since the decision.
  const isAboutIt = isAbout(command, grant);
  switch (outcome.kind) {
    case 'ChangeMember':
      if (outcome.result === 'done' || outcome.result === 'stale') renewMember(grant, outcome.member);
      else if (outcome.result === 'gone' && isAboutIt) foldAnsweredGone(grant, outcome.at);
      return;
    case 'DeleteMember':
      if (outcome.result === 'done' && isAboutIt) grant.deleted = true;
      else if (outcome.result === 'gone' && isAboutIt) foldAnsweredGone(grant, outcome.at);
      return;
    case 'ReleaseGuard':
      if (grant.guard !== undefined && outcome.result !== 'failed') foldGuardGone(grant, grant.guard);
      return;
    case 'LookUpMember':
      if (outcome.result === 'done' && command.kind === 'LookUpMember')
        foldLookUp(draft, grant, command, outcome);
  }
}

/** True when a request of this attempt, or of an earlier attempt, may still be carried out. */
function mayArrive(outcome: OfMember): boolean {
  const isError = outcome.result === 'failed' && outcome.error.status >= 500;
  return outcome.attempt > 1 || outcome.result === 'unanswered' || isError;
}

/**
 * Records when a request to resume the member may have been sent: as long as such a request can still arrive, a stop
 * that finds the member suspended proves nothing (J-16.10).
 */
function noteResumption(
  grant: PlacementGrant,
  { spec }: PlacementCommandOf<'ChangeMember'>,
  at: number,
): void {
  if (spec.suspend === false) grant.resumedAt = at;
}

/** Folds the creation of a superseded decision: the member exists, and its name belongs to one grant. */
function foldLateCreation({ grants }: PlacementState, outcome: OfMember): void {
  if (outcome.kind !== 'CreateMember' || outcome.result !== 'created') return;
  const { member } = outcome;
  const grant = grants.find(({ cluster, name }) => cluster === member.cluster && name === member.name);
  if (grant !== undefined) foldCreated(grant, member);
}

/**
 * Folds the outcome of a creation. A refusal after a request that may have been carried out proves nothing, and
 * neither does an error of the server after the first error (J-16.6).
 */
function foldCreation(grant: PlacementGrant, outcome: Extract<OfMember, { kind: 'CreateMember' }>): void {
  const isError = outcome.result === 'failed' && outcome.error.status >= 500;
  const isFirst = grant.requests === 1 && outcome.attempt === 1;
  const isProof = isFirst && !isError;
  grant.askedIn ??= isFirst ? createdEpoch(outcome) : 0;
  if (!isProof) grant.isDoubtful = true;
  if (outcome.result === 'unanswered' || !isProof) grant.askedAt = Math.max(grant.askedAt, outcome.at);
  if (outcome.result === 'created') return foldCreated(grant, outcome.member);
  if (grant.member !== null || outcome.result === 'unanswered') return;
  grant.refused = refusalIn(outcome);
  if (outcome.result === 'stale') grant.isStale = true;
}

/** The epoch in which the cluster answered a creation. */
function createdEpoch(outcome: Extract<OfMember, { kind: 'CreateMember' }>): number {
  const { epoch = 0 } = 'member' in outcome ? outcome.member : 'epoch' in outcome ? outcome : {};
  return epoch;
}

/** Folds the outcome of a renewal; a renewal without an answer may have been carried out, so it counts. */
function foldGuard(
  grant: PlacementGrant,
  outcome: Extract<OfMember, { kind: 'RenewGuard' }> & { at: number },
): void {
  const { guard } = grant;
  if (guard === undefined) return;
  const { askedAt: _answered, ...asked } = guard;
  if (outcome.result === 'gone') return foldGuardGone(grant, asked);
  const { gone: _gone, isUnproven: _unproven, ...known } = asked;
  const isThere = outcome.result === 'done';
  grant.guard = { ...(isThere ? known : asked), renewedAt: Math.max(guard.renewedAt, outcome.at) };
  if (outcome.result === 'done') {
    grant.guard.uid = outcome.uid;
    grant.guard.isStarted = outcome.isStarted;
  } else if (outcome.result !== 'unanswered' && grant.member === null)
    grant.refused =
      outcome.result === 'failed' ? outcome.error.message : 'another Job has the name of its guard';
}

/**
 * Records that the guard is gone; between a restore of its cluster and the next decision, an answer may be undone,
 * because an older copy may have the guard again.
 */
function foldGuardGone(grant: PlacementGrant, { isUnproven: _before, ...guard }: Guard): void {
  grant.guard = { ...guard, gone: true, ...(grant.restoredAt === null && { isUnproven: true as const }) };
}

/** The message of a refused creation. */
function refusalIn(
  outcome: Extract<OfMember, { kind: 'CreateMember'; result: 'failed' | 'taken' | 'stale' }>,
): string {
  if (outcome.result === 'failed') return outcome.error.message;
  return outcome.result === 'taken' ? 'another Job has the name' : 'the Job had changed';
}

/** Folds an answer that the placed Job is gone; an answer from before the restore of the API server may be undone. */
function foldAnsweredHomeGone(draft: PlacementState): void {
  if (isOfEpoch(draft)) foldGone(draft, draft.version);
}

/**
 * Folds an answer with the placed Job; versions in a decision from before the restore of the API server cannot be
 * compared with the present versions.
 */
function foldAnswered(draft: PlacementState, job: PlacedJobFacts): void {
  if (isOfEpoch(draft)) foldPlacedJob(draft, job);
}

/** True when the API server of the home was not restored since the decision. */
function isOfEpoch({ decidedIn, epoch }: PlacementState): boolean {
  return decidedIn === epoch;
}
