import { checkCronJob } from '../../invariants/check-cron-job.ts';
import { withhold } from '../../invariants/withhold.ts';
import type { CronCommand } from '../commands.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';
import { decide as decideUnchecked } from './decide.ts';
import type { CronVerdict } from './situation.ts';

/** Returns the decision, or a decision that starts nothing when a command breaks an invariant (J-18.1). */
export function decide(state: CronJobState, now: number, settings: CronSettings): CronVerdict {
  return withInvariants(state, decideUnchecked(state, now, settings));
}

export function withInvariants(state: CronJobState, verdict: CronVerdict): CronVerdict {
  return withhold<CronCommand, CronVerdict>(verdict, {
    broken: checkCronJob(state, verdict.commands),
    approval: state.approval,
    before: state.waiting,
    // `ReplaceJobs` deletes a running Job, and the Job of the new start replaces it.
    makesRunnable: ({ kind }) => kind === 'CreateJob' || kind === 'ReplaceJobs',
  });
}
