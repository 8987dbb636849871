import type { Ending, SyncPlan } from '../plan.ts';
import type { Tally } from '../tally.ts';

/** Adds to the plan that the Job is complete when enough pods have succeeded and none is active (J-3.58.2). */
export function manageCompletion(tally: Tally, plan: SyncPlan): SyncPlan {
  if (plan.ending !== null || !isComplete(tally, plan)) return plan;
  return { ...plan, ending: completed(tally) };
}

function isComplete({ job, succeeded }: Tally, { active }: SyncPlan): boolean {
  const { completions } = job.spec;
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

function completed({ job, succeeded }: Tally): Ending {
  return {
    type: 'Complete',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
    isStored: false,
    why: {
      rule: 'J-6.30',
      words: `${succeeded} succeeded of ${job.spec.completions ?? 'any number'}, none active`,
    },
  };
}
