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
  /** Facts and wishes since the step before, in the order in which they arrived. */
  arrived: readonly Compacted[];
  now: number;
  settings: Settings;
}

/** A decision to record and to carry out, with what only the state tells the metrics of it. */
export interface StepDecision extends DecisionRecord {
  sync: Sync | null;
}

export interface StepResult {
  /** With everything folded that had arrived. */
  state: JobState;
  /** Milliseconds since the epoch at which time alone changes the answer; null when it never does. */
  lookAgainAt: number | null;
  /** Null when there is nothing to do, and nothing new to say about why. */
  decision: StepDecision | null;
}

/** One step in the life of a Job: folds what arrived, decides, and records the decision if it is news. */
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

/** The state after a decision was carried out: the decision is folded first, then its outcomes in order. */
export function afterOutcomes(
  { fold }: Pick<StepCore, 'fold'>,
  state: JobState,
  { decided }: DecisionRecord,
  answered: readonly Unstamped<CommandAnswered>[],
): JobState {
  return fold(state, [decided, ...answered]);
}
