import { decisionRecords, isNewsBy } from '../../decision/decision-records.ts';
import type { Unstamped } from '../../ledger/recorded-event.ts';
import type { CronVerdict } from '../decide/situation.ts';
import type { CronJobDecided, CronJobFolded, OfCronJob } from '../events.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';

/** The version of the core; each decision records it, as decisions about Jobs do. */
export const CORE_VERSION = '1';

/** The part of a decision that is the same for the whole chain of runs. */
export interface CronDecider extends OfCronJob {
  /** `<namespace>/<name>` of the CronJob. */
  subject: string;
  firstRunId: string;
}

export interface CronDecisionRecord {
  folded: Unstamped<CronJobFolded>[];
  decided: Unstamped<CronJobDecided>;
}

/** True when a verdict about a CronJob must be recorded (`isNewsBy`). */
export function isNews(state: CronJobState, verdict: CronVerdict): boolean {
  return isNewsBy(CORE_VERSION, state, verdict);
}

/** The ledger records of a decision; they are appended before its first command is sent. */
export function decisionRecord(
  { cluster, cronJobUid, subject, firstRunId }: CronDecider,
  state: CronJobState,
  verdict: CronVerdict,
  now: number,
  settings: CronSettings,
): CronDecisionRecord {
  const of = { cluster, cronJobUid };
  const origin = { type: 'cronjob' as const, of, uid: cronJobUid, subject, firstRunId, core: CORE_VERSION };
  return decisionRecords(origin, state, verdict, { now, settings });
}
