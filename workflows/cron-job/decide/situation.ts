import type { VerdictOf } from '../../decision/verdict.ts';
import type { CronJobStatus } from '../../kubernetes/objects.ts';
import type { CronCommand } from '../commands.ts';
import type { CronJobFacts } from '../facts.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';

/** Everything that a decision about a CronJob depends on. */
export interface CronSituation {
  state: CronJobState;
  /** The CronJob of the state. */
  cronJob: CronJobFacts;
  /** The present status, whether it is on the server or not. */
  status: CronJobStatus;
  now: number;
  settings: CronSettings;
}

/** What `decide` returns. */
export type CronVerdict = VerdictOf<CronCommand>;
