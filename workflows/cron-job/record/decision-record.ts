import {
  decisionRecords,
  isNewsBy,
  type DeciderOf,
  type DecisionRecordOf,
} from '../../decision/decision-records.ts';
import type { CronVerdict } from '../decide/situation.ts';
import type { CronJobDecided, CronJobFolded, OfCronJob } from '../events.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';

/** The version of the core; each decision records it, as decisions about Jobs do. */
export const CORE_VERSION = '1';

export type CronDecider = DeciderOf<OfCronJob>;
export type CronDecisionRecord = DecisionRecordOf<CronJobFolded, CronJobDecided>;

/** True when a verdict about a CronJob must be recorded (`isNewsBy`). */
export function isNews(state: CronJobState, verdict: CronVerdict): boolean {
  return isNewsBy(CORE_VERSION, state, verdict);
}

/** The ledger records of a decision; they are appended before its first command is sent. */
export function decisionRecord(
  decider: CronDecider,
  state: CronJobState,
  verdict: CronVerdict,
  now: number,
  settings: CronSettings,
): CronDecisionRecord {
  const origin = { type: 'cronjob' as const, uid: decider.cronJobUid, core: CORE_VERSION };
  return decisionRecords(origin, decider, state, verdict, { now, settings });
}
