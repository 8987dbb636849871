import {
  decisionRecords,
  isNewsBy,
  type DeciderOf,
  type DecisionRecordOf,
} from '../../decision/decision-records.ts';
import type { JobDecided, JobFolded, OfJob } from '../events.ts';
import type { Settings } from '../settings.ts';
import type { JobState } from '../state.ts';
import type { Verdict } from '../decide/verdict.ts';

/**
 * The version of the core, which each decision records. Raise the version whenever `compact`, `evolve` or `decide`
 * may give another result; `workflows/cores` keeps the earlier versions.
 */
export const CORE_VERSION = '1';

export type Decider = DeciderOf<OfJob>;
export type DecisionRecord = DecisionRecordOf<JobFolded, JobDecided>;

/** True when a verdict is recorded (`isNewsBy`). */
export function isNews(state: JobState, verdict: Verdict): boolean {
  return isNewsBy(CORE_VERSION, state, verdict);
}

/** The ledger records of a decision; they are appended before its first command is sent. */
export function decisionRecord(
  decider: Decider,
  state: JobState,
  verdict: Verdict,
  now: number,
  settings: Settings,
): DecisionRecord {
  const origin = { type: 'job' as const, uid: decider.jobUid, core: CORE_VERSION };
  return decisionRecords(origin, decider, state, verdict, { now, settings });
}
