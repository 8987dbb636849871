import { proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { CronCarryOutInput, CronJobActivities } from './activities.ts';
import { LOCAL, locallyAtFirst, ORDINARY } from './activity-options.ts';
import { control, type RunInput } from './control-loop.ts';
import * as core from './cron-job/core.ts';
import { missingZones } from './cron-job/decide/zones.ts';
import type { CompactedCron } from './cron-job/observe/compact.ts';
import type { CronDecider, CronDecisionRecord } from './cron-job/record/decision-record.ts';
import { CRON_STATE_FORMAT } from './cron-job/record/state-format.ts';
import { withZones, type CronSettings } from './cron-job/settings.ts';
import type { CronJobState } from './cron-job/state.ts';
import { step } from './cron-job/step.ts';
import { isSafeToRepeat } from './safe-to-repeat.ts';

const local = proxyLocalActivities<CronJobActivities>(LOCAL);
const ordinary = proxyActivities<CronJobActivities>(ORDINARY);

export type CronJobWorkflowInput = RunInput<CronJobState, CompactedCron, CronSettings>;

/** Controls one CronJob until it is gone: folds signals, makes steps, and carries out decisions by activities. */
export async function cronJobWorkflow(input: CronJobWorkflowInput): Promise<void> {
  const { job } = input;
  const decider: CronDecider = {
    cluster: job.cluster,
    cronJobUid: job.uid,
    subject: `${job.namespace}/${job.name}`,
    firstRunId: workflowInfo().firstExecutionRunId,
  };
  return control<CronJobState, CompactedCron, CronSettings, CronDecisionRecord>(input, {
    initialState: core.INITIAL_STATE,
    stateFormat: CRON_STATE_FORMAT,
    fold: core.fold,
    step: (state, now, settings) => step({ decider, state, now, settings }),
    isOver: ({ gone }) => gone,
    recall: () =>
      locallyAtFirst(
        () => local.recallCronJob(job),
        () => ordinary.recallCronJob(job),
      ),
    reportFault: (fault, goesOn) => ordinary.reportFault({ job, fault, ...(goesOn && { goesOn }) }),
    carryOut: (decision) => carryOut({ ...decision, job }),
    merged: ({ zones }, given) => ({ ...given, zones }),
    completing(state, now, settings) {
      const missing = missingZones(state, now, settings);
      if (missing.length === 0) return null;
      return ordinary.zoneRules(missing).then((rules) => (before) => withZones(before, rules));
    },
  });
}

/**
 * Carries out a decision by a local activity when its commands are safe to repeat, and by an ordinary activity
 * otherwise.
 */
async function carryOut(input: CronCarryOutInput): ReturnType<CronJobActivities['carryOutCronJob']> {
  if (!isSafeToRepeat(input.decided.data.commands)) return ordinary.carryOutCronJob(input);
  return locallyAtFirst(
    () => local.carryOutCronJob(input),
    () => ordinary.carryOutCronJob(input),
  );
}
