import { createRecording, type DeciderOf, type DecisionRecordOf } from '../../decision/decision-records.ts';
import type { CronCommand } from '../commands.ts';
import type { CronJobDecided, CronJobFolded, OfCronJob } from '../events.ts';
import type { CronSettings } from '../settings.ts';

/** The version of the core; each decision records it, as decisions about Jobs do. */
export const CORE_VERSION = '1';

export type CronDecider = DeciderOf<OfCronJob>;
export type CronDecisionRecord = DecisionRecordOf<CronJobFolded, CronJobDecided>;

export const { isNews, decisionRecord } = createRecording<OfCronJob, 'cronjob', CronCommand, CronSettings>(
  CORE_VERSION,
  'cronjob',
  ({ cronJobUid }) => cronJobUid,
);
