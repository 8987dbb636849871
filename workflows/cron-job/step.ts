import * as core from './core.ts';
import type { CronDecider, CronDecisionRecord } from './record/decision-record.ts';
import type { CronSettings } from './settings.ts';
import type { CronJobState } from './state.ts';

interface CronStepInput {
  decider: CronDecider;
  /** With everything that has arrived. */
  state: CronJobState;
  now: number;
  /** With the rules of all zones that the decision needs (`missingZones`). */
  settings: CronSettings;
}

interface CronStepResult {
  /** With the decision, if there is one. */
  state: CronJobState;
  /** When time alone changes the result, in milliseconds since the epoch; null when it never does. */
  lookAgainAt: number | null;
  /** Null when there is nothing to do and no new reason to wait. */
  decision: CronDecisionRecord | null;
}

/** One step in the life of a CronJob: decides, and records the decision if it is new. */
export function step({ decider, state, now, settings }: CronStepInput): CronStepResult {
  const verdict = core.decide(state, now, settings);
  const { lookAgainAt } = verdict;
  if (!core.isNews(state, verdict)) return { state, lookAgainAt, decision: null };
  const decision = core.decisionRecord(decider, state, verdict, now, settings);
  return { state: core.fold(state, [decision.decided]), lookAgainAt, decision };
}
