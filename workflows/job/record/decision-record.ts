import { decisionRecords, isNewsBy } from '../../decision/decision-records.ts';
import type { JobDecided, JobFolded, OfJob } from '../events.ts';
import type { Unstamped } from '../../ledger/recorded-event.ts';
import type { Settings } from '../settings.ts';
import type { JobState } from '../state.ts';
import type { Verdict } from '../decide/verdict.ts';

/**
 * The version of the core, which each decision records. Raise the version whenever `compact`, `evolve` or `decide`
 * may give another result; `workflows/cores` keeps the earlier versions.
 */
export const CORE_VERSION = '1';

/** The part of a decision that is the same for the whole chain of runs. */
export interface Decider extends OfJob {
  /** `<namespace>/<name>` of the Job. */
  subject: string;
  firstRunId: string;
}

export interface DecisionRecord {
  folded: Unstamped<JobFolded>[];
  decided: Unstamped<JobDecided>;
}

/** True when a verdict is recorded (`isNewsBy`). */
export function isNews(state: JobState, verdict: Verdict): boolean {
  return isNewsBy(CORE_VERSION, state, verdict);
}

/** The ledger records of a decision; they are appended before its first command is sent. */
export function decisionRecord(
  { cluster, jobUid, subject, firstRunId }: Decider,
  state: JobState,
  verdict: Verdict,
  now: number,
  settings: Settings,
): DecisionRecord {
  const origin = {
    type: 'job' as const,
    of: { cluster, jobUid },
    uid: jobUid,
    subject,
    firstRunId,
    core: CORE_VERSION,
  };
  return decisionRecords(origin, state, verdict, { now, settings });
}
