import type { Compacted } from './observe/compact.ts';
import type * as core from './core.ts';
import { syncOf, type Sync } from './decide/sync-metrics.ts';
import type { CommandAnswered, Unstamped } from './events.ts';
import type { Decider, DecisionRecord } from './record/decision-record.ts';
import type { Settings } from './settings.ts';
import type { JobState } from './state.ts';

/** The parts of the core that a step calls. Frozen versions have them as well. */
export type StepCore = Pick<typeof core, 'fold' | 'decide' | 'isNews' | 'decisionRecord'>;

export interface StepInput {
  decider: Decider;
  state: JobState;
  /** Facts and user requests since the previous step, in order of arrival. */
  arrived: readonly Compacted[];
  now: number;
  settings: Settings;
}

/** A decision to record and carry out, with the values for metrics that only the state has. */
export interface StepDecision extends DecisionRecord {
  sync: Sync | null;
}

export interface StepResult {
  /** After folding everything that had arrived. */
  state: JobState;
  /** When time alone changes the result, in milliseconds since the epoch; null when it never does. */
  lookAgainAt: number | null;
  /** Null when there is nothing to do and no new reason to wait. */
  decision: StepDecision | null;
}

/** One step in the life of a Job: folds what arrived, decides, and records the decision if it is new. */
export function step(
  { fold, decide, isNews, decisionRecord }: StepCore,
  { decider, state: before, arrived, now, settings }: StepInput,
): StepResult {
  const state = fold(before, arrived);
  const verdict = decide(state, now, settings);
  const { lookAgainAt } = verdict;
  if (!isNews(state, verdict)) return { state, lookAgainAt, decision: null };
  const record = decisionRecord(decider, state, verdict, now, settings);
  return { state, lookAgainAt, decision: { ...record, sync: syncOf(state, verdict, now, settings) } };
}

/** The state after a decision was carried out: folds the decision, then its outcomes in order. */
export function afterOutcomes(
  { fold }: Pick<StepCore, 'fold'>,
  state: JobState,
  { decided }: DecisionRecord,
  answered: readonly Unstamped<CommandAnswered>[],
): JobState {
  return fold(state, [decided, ...answered]);
}
