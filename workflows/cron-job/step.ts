import type { StepInput, StepResult } from '../decision/step.ts';
import * as core from './core.ts';
import type { CronDecider, CronDecisionRecord } from './record/decision-record.ts';
import type { CronSettings } from './settings.ts';
import type { CronJobState } from './state.ts';

type CronStepInput = StepInput<CronDecider, CronJobState, CronSettings>;
type CronStepResult = StepResult<CronJobState, CronDecisionRecord>;

/**
 * Makes one step of a CronJob: decides, and records the decision if it is new. The settings must have all rules of
 * zones.
 */
export function step({ decider, state, now, settings }: CronStepInput): CronStepResult {
  const verdict = core.decide(state, now, settings);
  const { nextDecisionAt } = verdict;
  if (!core.isNews(state, verdict)) return { state, nextDecisionAt, decision: null };
  const decision = core.decisionRecord(decider, state, verdict, now, settings);
  return { state: core.fold(state, [decision.decided]), nextDecisionAt, decision };
}
