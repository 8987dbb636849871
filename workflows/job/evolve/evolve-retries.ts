import type { Command } from '../commands.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import { afterError, decidedAt, type RetryDelays } from '../../decision/retry.ts';
import type { JobFacts } from '../../batch/facts.ts';
import type { ApiFailure } from '../../decision/api-failure.ts';
import type { Outcome } from '../outcomes.ts';
import { isSameJson } from '../../ledger/digest.ts';
import type { Draft } from './draft.ts';

/** J-3.2. */
const BACKOFF: RetryDelays = { firstMs: 1000, longestMs: 60_000 };

/** The outcome of a command, and its consequences. */
interface Context {
  draft: Draft;
  /** The command; absent when its decision was superseded. */
  command: Command | undefined;
  outcome: Outcome;
  /** True when the outcome contains a newer version of the Job. */
  isJobNewer: boolean;
}

/**
 * The reason why commands of a kind are held back. `isFirstFree` means that commands are held back only after the
 * second such outcome.
 */
interface Trouble {
  kind: Command['kind'];
  message: string;
  isFirstFree?: true;
}

/**
 * Holds commands back after an outcome that is not a success, or that changes nothing, so that a decision is not
 * repeated without a delay.
 */
export function foldRetries(context: Context): void {
  const { draft, outcome } = context;
  const trouble = troubleIn(context);
  if (trouble !== null) rememberTrouble(draft, trouble);
  else if (outcome.kind !== 'stale' && outcome.kind !== 'skipped' && endsBackoff(draft, outcome.kind))
    forgetTrouble(draft, outcome.kind);
}

/** The reason to hold back commands after an outcome; null after a success that changed something. */
function troubleIn(context: Context): Trouble | null {
  const { outcome, isJobNewer } = context;
  if (outcome.kind === 'skipped') return null;
  if (outcome.kind === 'stale')
    return isJobNewer || outcome.job === null ? null : { kind: outcome.commandKind, message: outcome.why };
  const message = findFailure(outcome)?.message ?? whyNoEffect(context);
  if (message !== null) return { kind: outcome.kind, message };
  if (outcome.kind !== 'WriteStatus' || outcome.result !== 'conflict') return null;
  return { kind: outcome.kind, message: 'the status keeps changing', isFirstFree: true };
}

/** The error of the API server in an outcome; null without an error. */
function findFailure(outcome: Outcome): ApiFailure | null {
  if ('error' in outcome) return outcome.error;
  if (!('pods' in outcome)) return null;
  for (const pod of outcome.pods) if ('error' in pod) return pod.error;
  return null;
}

/** The reason why nothing changed, as text; null when something changed. */
function whyNoEffect({ draft, command, outcome, isJobNewer }: Context): string | null {
  switch (outcome.kind) {
    case 'CreatePods': {
      const taken = outcome.pods.find(({ result }) => result === 'taken');
      if (taken !== undefined) return `the name ${taken.name} belongs to another pod`;
      const isNothingSent =
        outcome.jobGone !== true && outcome.pods.every(({ result }) => result === 'skipped');
      return isNothingSent ? 'no pod was created in time' : null;
    }
    case 'DeletePods':
    case 'ReleasePods':
      return outcome.pods.length === 0 && command?.kind === outcome.kind && command.pods.length > 0
        ? 'no pod was changed in time'
        : null;
    case 'WriteStatus':
      if (outcome.result === 'conflict')
        return isJobNewer ? null : 'the status differs from what is known of it';
      return outcome.result === 'written' && isStatusLost(draft, command, outcome.job)
        ? 'the written status has an older version than one that was seen'
        : null;
    case 'DeleteJob':
      return outcome.result === 'kept' && !isJobNewer ? 'the Job has not expired on the server' : null;
    case 'AdoptPods':
    case 'DisownPods':
    case 'EmitEvents':
    case 'SetSuspend':
    case 'RefuseRequest':
    case 'LookUpJob':
    case 'LookUpPods':
    case 'LookUpOrphans':
    case 'EnsureGang':
    case 'stale':
    case 'skipped':
      return null;
  }
}

/**
 * True for a written status that would be written again at once: it was written at a version below the mark and
 * differs from the known status, or it has the known version and other content, which a restored API server gives
 * until its epoch is known.
 */
function isStatusLost({ job, versions }: Draft, command: Command | undefined, written: JobFacts): boolean {
  const order = compareVersions(written.resourceVersion, versions.job);
  if (command?.kind !== 'WriteStatus' || order > 0) return false;
  return !isSameJson(job?.status, order < 0 ? command.to : written.status);
}

/**
 * True when a success ends the back-off of this kind of command; while the release of a pod is refused, releases of
 * other pods do not end the back-off.
 */
function endsBackoff(draft: Draft, kind: Command['kind']): boolean {
  return kind !== 'ReleasePods' || !Object.values(draft.pods).some(({ refused }) => refused === true);
}

/** Remembers the reason to hold back commands of a kind. */
function rememberTrouble(draft: Draft, { kind, message, isFirstFree }: Trouble): void {
  const decided = decidedAt(draft);
  const retry = afterError(draft.retries[kind], message, decided, BACKOFF);
  if (isFirstFree === true && retry.errors === 1) retry.until = decided;
  draft.retries = { ...draft.retries, [kind]: retry };
}

/** Ends the back-off of a kind of command. */
function forgetTrouble(draft: Draft, kind: Command['kind']): void {
  const { [kind]: _forgotten, ...others } = draft.retries;
  draft.retries = others;
}
