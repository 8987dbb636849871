import type { Outcome, CreationOutcome, PodOutcome } from '../../job/outcomes.ts';
import type { ApiFailure } from '../../decision/api-failure.ts';
import type { Gang } from '../../job/gang.ts';
import { fewText } from './few.ts';

/** The outcome of a command, as text. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'CreatePods':
      return `${byResult(outcome.pods)}${outcome.jobGone === true ? '; the Job is gone' : ''}`;
    case 'DeletePods':
    case 'ReleasePods':
    case 'AdoptPods':
    case 'DisownPods':
      return byResult(outcome.pods);
    case 'WriteStatus':
      return outcome.result === 'failed' ? failureText(outcome.error) : statusResult(outcome);
    case 'SetSuspend':
      return outcome.result === 'failed' ? failureText(outcome.error) : outcome.result;
    case 'LookUpJob':
      return outcome.job === null ? 'it does not exist' : 'it exists';
    case 'LookUpPods':
      return fewText(
        outcome.pods.map(({ name, pod }) => `${name} ${pod === null ? 'does not exist' : 'exists'}`),
      );
    case 'DeleteJob':
      return outcome.result === 'failed' ? failureText(outcome.error) : DELETIONS[outcome.result];
    case 'LookUpOrphans':
      if (outcome.result === 'failed') return failureText(outcome.error);
      return outcome.orphans.length === 0 ? 'none' : fewText(outcome.orphans.map(({ name }) => name));
    case 'EnsureGang':
      return outcome.result === 'failed' ? failureText(outcome.error) : gangResult(outcome);
    case 'EmitEvents':
    case 'RefuseRequest':
      return 'done';
    case 'stale':
      return `not sent, because ${outcome.why}; decided again`;
    case 'skipped':
      return 'not sent, because an earlier command failed';
  }
}

const DELETIONS = {
  done: 'deleted in the foreground: it waits for its pods',
  kept: 'kept: the name now belongs to another Job; decided again',
  gone: 'the Job is gone',
};

/** The outcome of a look-up of the gang, as text. */
function gangResult(answer: { result: 'done'; gang: Gang } | { result: 'gone' }): string {
  if (answer.result === 'gone') return 'the Job is gone';
  const { gang } = answer;
  return 'none' in gang ? `no gang: ${gang.none}` : `PodGroup ${gang.podGroup} of Workload ${gang.workload}`;
}

/** The outcome of a status write, as text. */
function statusResult(answer: { result: 'written' | 'conflict' | 'gone' }): string {
  if (answer.result === 'written') return 'written';
  return answer.result === 'gone'
    ? 'the Job is gone'
    : 'conflict: another client had changed fields that we own; decided again';
}

/** The outcomes of pods as text, grouped by their result. */
function byResult(pods: readonly (PodOutcome | CreationOutcome)[]): string {
  const results = new Map<string, string[]>();
  for (const pod of pods) {
    const result = 'error' in pod ? failureText(pod.error) : pod.result;
    results.set(result, [...(results.get(result) ?? []), pod.name]);
  }
  return [...results].map(([result, names]) => `${result}: ${fewText(names)}`).join('; ');
}

/** An error of the API server, as text. */
export function failureText({ status, reason, message }: ApiFailure): string {
  return `FAILED with ${status} ${reason}: ${message}`;
}
