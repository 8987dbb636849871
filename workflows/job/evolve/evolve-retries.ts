import type { Command } from '../commands.ts';
import { compareVersions } from '../definitions/resource-version.ts';
import { afterError, decidedAt, type RetryDelays } from '../definitions/retry.ts';
import type { ApiFailure, Outcome } from '../outcomes.ts';
import { isSameJson } from '../definitions/digest.ts';
import type { Draft } from './draft.ts';

/** J-3.2. */
const BACKOFF: RetryDelays = { firstMs: 1000, longestMs: 60_000 };

/** The outcome of a command, and what came of it. */
interface Told {
  draft: Draft;
  /** The command; absent when its decision was superseded. */
  wish: Command | undefined;
  answer: Outcome;
  /** The outcome brought a newer version of the Job. */
  isJobNewer: boolean;
}

/** Why commands of a kind are held back. `isFirstFree`: only from the second time on. */
interface Trouble {
  kind: Command['kind'];
  message: string;
  isFirstFree?: true;
}

/**
 * Holds commands back after an outcome that is not a success, or that changes nothing: nothing is decided twice in a row
 * without a delay.
 */
export function foldRetries(told: Told): void {
  const { draft, answer } = told;
  const trouble = troubleIn(told);
  if (trouble !== null) remember(draft, trouble);
  else if (answer.kind !== 'stale' && answer.kind !== 'skipped' && isDone(draft, answer.kind))
    forget(draft, answer.kind);
}

function troubleIn(told: Told): Trouble | null {
  const { answer, isJobNewer } = told;
  if (answer.kind === 'skipped') return null;
  if (answer.kind === 'stale')
    return isJobNewer || answer.job === null ? null : { kind: answer.of, message: answer.why };
  const message = failureOf(answer)?.message ?? withoutEffect(told);
  if (message !== null) return { kind: answer.kind, message };
  if (answer.kind !== 'WriteStatus' || answer.result !== 'conflict') return null;
  return { kind: answer.kind, message: 'the status keeps changing', isFirstFree: true };
}

function failureOf(answer: Outcome): ApiFailure | null {
  if ('error' in answer) return answer.error;
  if (!('pods' in answer)) return null;
  for (const pod of answer.pods) if ('error' in pod) return pod.error;
  return null;
}

/** What prevented that anything changed, in words; null when something did. */
function withoutEffect({ draft, wish, answer, isJobNewer }: Told): string | null {
  switch (answer.kind) {
    case 'CreatePods': {
      const taken = answer.pods.find(({ result }) => result === 'taken');
      if (taken !== undefined) return `the name ${taken.name} belongs to a pod of somebody else`;
      const isNothingSent =
        answer.jobGone !== true && answer.pods.every(({ result }) => result === 'skipped');
      return isNothingSent ? 'no pod was created in time' : null;
    }
    case 'DeletePods':
    case 'ReleasePods':
      return answer.pods.length === 0 && wish?.kind === answer.kind && wish.pods.length > 0
        ? 'no pod was changed in time'
        : null;
    case 'WriteStatus':
      if (answer.result === 'conflict')
        return isJobNewer ? null : 'the status differs from what is known of it';
      return answer.result === 'written' && isLost(draft, wish, answer.job.resourceVersion)
        ? 'the written status has an older version than one that was seen'
        : null;
    case 'DeleteJob':
      return answer.result === 'kept' && !isJobNewer ? 'the Job has not expired on the server' : null;
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

/** A status that was written at a version below the mark, and is not the known one: it would be written again at once. */
function isLost({ job, marks }: Draft, wish: Command | undefined, version: string): boolean {
  if (wish?.kind !== 'WriteStatus' || compareVersions(version, marks.job) >= 0) return false;
  return !isSameJson(job?.status, wish.to);
}

/** While a pod is refused, releases of others do not end its back-off. */
function isDone(draft: Draft, kind: Command['kind']): boolean {
  return kind !== 'ReleasePods' || !Object.values(draft.pods).some(({ refused }) => refused === true);
}

function remember(draft: Draft, { kind, message, isFirstFree }: Trouble): void {
  const decided = decidedAt(draft);
  const retry = afterError(draft.retries[kind], message, decided, BACKOFF);
  if (isFirstFree === true && retry.errors === 1) retry.until = decided;
  draft.retries = { ...draft.retries, [kind]: retry };
}

function forget(draft: Draft, kind: Command['kind']): void {
  const { [kind]: _forgotten, ...others } = draft.retries;
  draft.retries = others;
}
