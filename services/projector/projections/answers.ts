import type { Outcome } from '../../../workflows/job/outcomes.ts';

/** The first error that an answer holds, of the whole command or of one of its pods. */
export function apiErrorIn(answer: Outcome): string | null {
  if ('error' in answer) return answer.error.message;
  if (!('pods' in answer)) return null;
  for (const pod of answer.pods) if ('error' in pod) return pod.error.message;
  return null;
}

export function hasError(answer: Outcome): boolean {
  return apiErrorIn(answer) !== null;
}
