import { checkCronJob } from '../../invariants/check-cron-job.ts';
import { withhold } from '../../invariants/withhold.ts';
import type { CronCommand } from '../commands.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';
import { decide as decideUnchecked } from './decide.ts';
import type { CronVerdict } from './situation.ts';

/** The decision, unless its commands break an invariant: then nothing is started (J-18.1). */
export function decide(state: CronJobState, now: number, settings: CronSettings): CronVerdict {
  return withInvariants(state, decideUnchecked(state, now, settings));
}

export function withInvariants(state: CronJobState, verdict: CronVerdict): CronVerdict {
  return withhold<CronCommand, CronVerdict>(verdict, {
    broken: checkCronJob(state, verdict.commands),
    approval: state.approval,
    before: state.waiting,
    // A Job is deleted for the Job that replaces it.
    makesRunnable: ({ kind }) => kind === 'CreateJob' || kind === 'ReplaceJobs',
  });
}
