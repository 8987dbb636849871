import type { CronOutcome } from '../../../workflows/cron-job/outcomes.ts';
import type { PlacementOutcome } from '../../../workflows/placement/outcomes.ts';
import type { Outcome } from '../../../workflows/job/outcomes.ts';

/**
 * The first error in an outcome, which is an error of the whole command or of one of its pods or Jobs; null without an
 * error.
 */
export function apiErrorIn(outcome: Outcome | CronOutcome | PlacementOutcome): string | null {
  if ('error' in outcome) return outcome.error.message;
  // The outcome of a look-up only counts the pods of the member.
  if (outcome.kind === 'LookUpMember') return null;
  const parts = 'pods' in outcome ? outcome.pods : 'jobs' in outcome ? outcome.jobs : [];
  for (const part of parts) if ('error' in part) return part.error.message;
  return null;
}

export function hasError(outcome: Outcome | CronOutcome): boolean {
  return apiErrorIn(outcome) !== null;
}
