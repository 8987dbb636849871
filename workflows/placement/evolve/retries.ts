import { afterError, decidedAt, type RetryDelays } from '../../decision/retry.ts';
import { isSameJson } from '../../ledger/digest.ts';
import { lacksCounters } from '../definitions/grants.ts';
import type { MemberFacts } from '../facts.ts';
import { isKeyOfCluster, retryKey } from '../definitions/retry-key.ts';
import type { PlacementCommand } from '../commands.ts';
import type { PlacementOutcome } from '../outcomes.ts';
import type { PlacementState } from '../state.ts';
import { isNewer, isOlder } from './members.ts';

/** The delay after an error, which doubles with each error (J-16.20). */
const BACKOFF: RetryDelays = { firstMs: 1000, longestMs: 60_000 };

/** Holds commands back after an outcome that is not a success, or that changes nothing. */
export function foldRetries(
  draft: PlacementState,
  command: PlacementCommand,
  outcome: PlacementOutcome,
  isJobNewer: boolean,
): void {
  if (outcome.kind === 'skipped') return;
  const key = retryKey(command);
  const isUnanswered = 'result' in outcome && outcome.result === 'unanswered';
  if (!isUnanswered && 'cluster' in command) endSilence(draft, command.cluster);
  const trouble = troubleIn(command, outcome, isJobNewer) ?? olderAnswerText(draft, command, outcome);
  if (trouble === null) delete draft.retries[key];
  else {
    const retry = afterError(draft.retries[key], trouble, decidedAt(draft), BACKOFF);
    const keepsOldValues =
      outcome.kind === 'ChangeMember' &&
      outcome.result === 'done' &&
      keptFieldsText(command, outcome.member) !== null;
    draft.retries[key] = {
      ...retry,
      ...(isUnanswered && { isUnanswered }),
      ...('error' in outcome && { isFailed: true }),
      ...(keepsOldValues && { keepsOldValues }),
    };
  }
}

/**
 * Ends the delays of commands that got no answer from a cluster that now answers; they wait longer if they again get
 * no answer.
 */
function endSilence(draft: PlacementState, cluster: string): void {
  for (const [key, retry] of Object.entries(draft.retries))
    if (retry.isUnanswered === true && isKeyOfCluster(key, cluster))
      draft.retries[key] = { ...retry, until: Math.min(retry.until, decidedAt(draft)) };
}

/** The reason to hold back a command after its outcome; null after a success. */
function troubleIn(command: PlacementCommand, outcome: PlacementOutcome, isJobNewer: boolean): string | null {
  if ('error' in outcome) return outcome.error.message;
  if ('message' in outcome) return outcome.message;
  switch (outcome.kind) {
    case 'LookUpMember':
      // Look-ups of given-up indexes, and of a deleted Job, are repeated until the pods have ended. Other look-ups
      // have their own delays.
      return outcome.result === 'done' &&
        (outcome.givenUp !== undefined || outcome.gone !== undefined) &&
        outcome.pods.open > 0
        ? openPodsText(outcome.pods)
        : null;
    case 'WriteStatus':
    case 'AddFinalizer':
    case 'RemoveFinalizer':
      if (outcome.result === 'gone' || isJobNewer) return null;
      return outcome.result === 'conflict'
        ? 'the Job had changed'
        : `the command ${command.kind} changed nothing`;
    case 'ChangeMember':
      if (outcome.result === 'gone') return null;
      return outcome.result === 'stale' ? 'the member had changed' : keptFieldsText(command, outcome.member);
    case 'CreateMember':
      return outcome.result === 'stale' && outcome.job !== null && !isJobNewer ? 'the Job had changed' : null;
    case 'DeleteJob':
      return outcome.result === 'kept' && !isJobNewer ? 'the Job has not expired on the server' : null;
    case 'RenewGuard':
    case 'ReleaseGuard':
    case 'DeleteMember':
    case 'EndGrant':
    case 'ShareOut':
    case 'EmitEvents':
    case 'SetSuspend':
    case 'skipped':
      return null;
  }
}

/**
 * The reason to hold back a command after an answer with an older version. Until its epoch is known, a restored
 * cluster answers with versions that count as older than the known version, or as equal to it; an immediate
 * repetition would continue forever.
 */
function olderAnswerText(
  { grants }: PlacementState,
  command: PlacementCommand,
  outcome: PlacementOutcome,
): string | null {
  if (!('grant' in command)) return null;
  const grant = grants.find(({ number }) => number === command.grant);
  const known = grant?.member ?? null;
  const message = `the cluster ${command.cluster} answers with an older version than the one seen last`;
  // True when the known member still needs its counters.
  if (outcome.kind === 'CreateMember' && outcome.result === 'taken')
    return known === null ? null : `another Job has the name in the cluster ${command.cluster}`;
  if (outcome.kind === 'CreateMember' && outcome.result === 'created') {
    // True when the created member must have counters, and the known member still lacks these counters.
    return grant !== undefined && known !== null && lacksCounters(grant, known) ? message : null;
  }
  // The other look-ups have their own delays.
  if (outcome.kind === 'LookUpMember' && outcome.result === 'done') {
    if (outcome.givenUp !== undefined) return isOlder(outcome.member, known) ? message : null;
    const isFound = command.kind === 'LookUpMember' && command.mark !== undefined && outcome.member !== null;
    return isFound && outcome.member?.uid !== known?.uid ? message : null;
  }
  if (outcome.kind !== 'ChangeMember' || outcome.result !== 'done') return null;
  const isUnused = known?.uid === outcome.member.uid && !isNewer(outcome.member, known);
  return isUnused && keptFieldsText(command, known) !== null ? message : null;
}

/**
 * The fields that the cluster has not changed, as text, for example because of its admission; an immediate repetition
 * of the command would not change them either.
 */
function keptFieldsText(command: PlacementCommand, member: MemberFacts): string | null {
  if (command.kind !== 'ChangeMember') return null;
  const { spec, annotations = {}, indexes } = command;
  const now = new Map<string, string | number | boolean>(
    Object.entries({ suspend: false, ...member.spec, ...member.annotations }),
  );
  const kept = Object.entries({ ...spec, ...annotations }).flatMap(([field, wanted]) => {
    const value = now.get(field) ?? null;
    return value === wanted ? [] : [`${field} ${value ?? 'none'}`];
  });
  if (indexes !== undefined && !isSameJson(member.grant, indexes))
    kept.push(`the indexes ${member.grant?.indexes ?? 'of no grant'}`);
  return kept.length === 0 ? null : `the cluster ${member.cluster} has kept ${kept.join(', ')}`;
}

/** The pods that have not ended, as text. */
function openPodsText({ open, first = '' }: { open: number; first?: string }): string {
  return open === 1 ? `the pod ${first} has not ended` : `${open} pods have not ended, among them ${first}`;
}
