import type { Kind } from '../kind.ts';
import * as core from './core.ts';
import type { CronFact } from './facts.ts';
import { cronUrgency } from './observe/urgency.ts';
import { CRON_STATE_FORMAT, cronStateFormat } from './record/state-format.ts';

/** The kind of CronJobs, each with the Jobs that it has started. */
export const CRON_JOB: Kind = {
  name: 'CronJob',
  resource: 'cronjobs',
  workflow: 'cronJobWorkflow',
  prefix: 'cronjob',
  core,
  stateFormat: CRON_STATE_FORMAT,
  stateFormatBy: cronStateFormat,
  observed: ({ type }) =>
    type === 'cronjob.observed'
      ? { managedBy: undefined, expires: false, isFinished: false, isToStart: false }
      : null,
  isOurs: () => true,
  // The Job belongs to an unknown CronJob, which is gone or will be observed.
  concerns: ({ fact, known }) => known !== undefined || fact.type === 'cronjob.deleted',
  mayStart: ({ fact, known }) => known !== undefined && fact.type !== 'cronjob.deleted',
  isRecalledLater: ({ type }) => type === 'job.observed',
  objectIn(fact: CronFact) {
    switch (fact.type) {
      case 'cronjob.observed':
      case 'cronjob.deleted':
        return 'itself';
      case 'job.observed':
        return fact.job;
      case 'job.deleted':
        return fact;
      case 'watch.passed':
      case 'request.received':
        return null;
    }
  },
  versionIn: (fact: CronFact) =>
    fact.type === 'cronjob.observed' ? fact.cronJob.resourceVersion : undefined,
  urgency: (previous: CronFact | undefined, next: CronFact) => cronUrgency(previous, next),
  onlySaysGone: () => false,
};
