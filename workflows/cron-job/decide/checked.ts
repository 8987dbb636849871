import { checkCronJob } from '../invariants.ts';
import { withhold } from '../../decision/invariants/withhold.ts';
import type { CronCommand } from '../commands.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';
import { decide as decideUnchecked } from './decide.ts';
import type { CronVerdict } from './situation.ts';

/** Decides about a CronJob; when a command breaks an invariant, the decision starts no Job (J-18.1). */
export function decide(state: CronJobState, now: number, settings: CronSettings): CronVerdict {
  return withInvariants(state, decideUnchecked(state, now, settings));
}

/** Withholds the creations of a verdict whose commands break an invariant. */
export function withInvariants(state: CronJobState, verdict: CronVerdict): CronVerdict {
  return withhold<CronCommand, CronVerdict>(verdict, {
    broken: checkCronJob(state, verdict.commands),
    approval: state.approval,
    before: state.waiting,
    // `ReplaceJobs` deletes a running Job, and the Job of the new start replaces it.
    makesRunnable: ({ kind }) => kind === 'CreateJob' || kind === 'ReplaceJobs',
  });
}
