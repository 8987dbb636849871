import type { Ending } from '../../../batch/ending.ts';
import type { SyncPlan } from '../plan.ts';
import type { Tally } from '../tally.ts';
import { countIndexes } from '../../../batch/completion-indexes.ts';
import { endingIndexes } from '../../../batch/index-grant.ts';

/** Adds the completion of the Job to the plan when enough pods have succeeded and no pod is active (J-3.58.2). */
export function manageCompletion(tally: Tally, plan: SyncPlan): SyncPlan {
  if (plan.ending !== null || plan.active > 0) return plan;
  const { completions, indexes } = endingIndexes(tally);
  const succeeded = indexes === null ? tally.succeeded : countIndexes(indexes.completed);
  const isComplete = completions === undefined ? succeeded > 0 : succeeded >= completions;
  return isComplete ? { ...plan, ending: completionEnding(succeeded, completions) } : plan;
}

/** The end of a Job that has the expected number of succeeded pods. */
function completionEnding(succeeded: number, completions: number | undefined): Ending {
  return {
    type: 'Complete',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
    isStored: false,
    why: {
      rule: 'J-6.30',
      message: `${succeeded} succeeded of ${completions ?? 'any number'}, none active`,
    },
  };
}
