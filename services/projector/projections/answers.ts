import type { Outcome } from '../../../workflows/job/outcomes.ts';

/** The first error in an outcome: of the whole command, or of one of its pods. */
export function apiErrorIn(outcome: Outcome): string | null {
  if ('error' in outcome) return outcome.error.message;
  if (!('pods' in outcome)) return null;
  for (const pod of outcome.pods) if ('error' in pod) return pod.error.message;
  return null;
}

export function hasError(outcome: Outcome): boolean {
  return apiErrorIn(outcome) !== null;
}
