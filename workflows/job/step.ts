import type * as core from './core.ts';
import { measureSync, type Sync } from './decide/sync-metrics.ts';
import type { Decider, DecisionRecord } from './record/decision-record.ts';
import type { Settings } from './settings.ts';
import type { JobState } from './state.ts';

/** The parts of the core that a step calls. Frozen versions have them as well. */
export type StepCore = Pick<typeof core, 'fold' | 'decide' | 'isNews' | 'decisionRecord'>;

/** What a step of either kind starts from. */
export interface StepInput<D, S, T> {
  decider: D;
  /** With everything that has arrived. */
  state: S;
  now: number;
  settings: T;
}

/** What a step of either kind comes to. */
export interface StepResult<S, D> {
  /** With the decision, if there is one. */
  state: S;
  /** When time alone changes the result, in milliseconds since 1970; null when it never does. */
  nextDecisionAt: number | null;
  /** Null when there is nothing to do and no new reason to wait. */
  decision: D | null;
}

/** A decision to record and carry out, with the values for metrics that only the state has. */
export interface StepDecision extends DecisionRecord {
  sync: Sync | null;
}

/** One step in the life of a Job: decides, and records the decision if it is new. */
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
