import type { Command } from '../commands.ts';
import { compareVersions } from '../definitions/resource-version.ts';
import type { ApiFailure, Outcome } from '../outcomes.ts';
import { isSameJson } from '../definitions/digest.ts';
import type { JobState } from '../state.ts';
import type { Draft } from './draft.ts';

/** Longest wait after API errors, in milliseconds (J-3.2). */
const MAX_RETRY_MS = 60_000;

/** Why commands of a kind are held back. `isFirstFree`: only from the second time on. */
interface Trouble {
  kind: Command['kind'];
  message: string;
  isFirstFree?: true;
}

/**
 * Holds commands back after an outcome that is not a success, or that changes nothing: nothing is decided twice in a row
 * without a delay. `isJobNewer`: the outcome brought a newer version of the Job.
 */
export function foldRetries(draft: Draft, command: number, answer: Outcome, isJobNewer: boolean): void {
  const trouble = troubleIn(draft, draft.pending[command], answer, isJobNewer);
  if (trouble !== null) remember(draft, trouble);
  else if (answer.kind !== 'stale' && answer.kind !== 'skipped' && isDone(draft, answer.kind))
    forget(draft, answer.kind);
}

/**
 * When the command was decided, in milliseconds. Timers run on the clock of decisions, so waits are computed from it, not
 * from the outcome's instant, which is the worker's clock.
 */
export function decidedAt({ last }: JobState): number {
  return last?.now ?? 0;
}

function troubleIn(
  draft: Draft,
  wish: Command | undefined,
  answer: Outcome,
  isJobNewer: boolean,
): Trouble | null {
  if (answer.kind === 'skipped') return null;
  if (answer.kind === 'stale')
    return isJobNewer || answer.job === null ? null : { kind: answer.of, message: answer.why };
  const message = failureOf(answer)?.message ?? withoutEffect(draft, wish, answer, isJobNewer);
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
function withoutEffect(
  draft: Draft,
  wish: Command | undefined,
  answer: Outcome,
  isJobNewer: boolean,
): string | null {
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
  const errors = (draft.retries[kind]?.errors ?? 0) + 1;
  const wait = isFirstFree === true && errors === 1 ? 0 : Math.min(1000 * 2 ** (errors - 1), MAX_RETRY_MS);
  draft.retries = { ...draft.retries, [kind]: { errors, until: decidedAt(draft) + wait, message } };
}

function forget(draft: Draft, kind: Command['kind']): void {
  const { [kind]: _forgotten, ...others } = draft.retries;
  draft.retries = others;
}
