import type { StepInput, StepResult } from '../decision/step.ts';
import type * as core from './core.ts';
import { measureSync, type Sync } from './decide/sync-metrics.ts';
import type { Decider, DecisionRecord } from './record/decision-record.ts';
import type { Settings } from './settings.ts';
import type { JobState } from './state.ts';

/** The parts of the core that a step calls. Frozen versions of the core have these parts as well. */
export type StepCore = Pick<typeof core, 'fold' | 'decide' | 'isNews' | 'decisionRecord'>;

/** A decision to record and carry out, with those values for metrics that only the state has. */
export interface StepDecision extends DecisionRecord {
  sync: Sync | null;
}

/** Makes one step of a Job: decides, and records the decision if it is new. */
export function step(
  { fold, decide, isNews, decisionRecord }: StepCore,
  { decider, state, now, settings }: StepInput<Decider, JobState, Settings>,
): StepResult<JobState, StepDecision> {
  const verdict = decide(state, now, settings);
  const { nextDecisionAt } = verdict;
  if (!isNews(state, verdict)) return { state, nextDecisionAt, decision: null };
  const record = decisionRecord(decider, state, verdict, now, settings);
  const decision = { ...record, sync: measureSync(state, verdict, now, settings) };
  return { state: fold(state, [record.decided]), nextDecisionAt, decision };
}
