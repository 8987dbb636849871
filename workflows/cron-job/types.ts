import type { CronJobDecided, CronJobEvent, CronJobSnapshotted } from './events.ts';
import type { CronFact } from './facts.ts';
import type { CompactedCron } from './observe/compact.ts';
import type { CronSettings } from './settings.ts';
import type { CronJobState } from './state.ts';

/** The types of CronJobs, for the list of kinds. */
export interface CronJobTypes {
  event: CronJobEvent;
  decided: CronJobDecided;
  snapshotted: CronJobSnapshotted;
  fact: CronFact;
  compacted: CompactedCron;
  state: CronJobState;
  settings: CronSettings;
  prefix: 'cronjob';
  uidField: 'cronJobUid';
  resource: 'cronjobs';
}
