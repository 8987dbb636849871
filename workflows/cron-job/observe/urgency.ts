import { isSameJson } from '../../ledger/digest.ts';
import type { ChildFacts, CronFact, CronJobFacts } from '../facts.ts';

/**
 * The urgency of a fact for the workflow, compared with the previous fact of the same object; a fact with `none` is
 * sent together with the next urgent fact (J-9.11, J-9.12). Without `previous` the urgency may be higher than
 * necessary, never lower.
 */
export function cronUrgency(previous: CronFact | undefined, next: CronFact): 'now' | 'none' {
  switch (next.type) {
    case 'cronjob.observed':
      return previous?.type === 'cronjob.observed' && isSameCronJob(previous.cronJob, next.cronJob)
        ? 'none'
        : 'now';
    case 'job.observed':
      return previous?.type === 'job.observed' && isSameChild(previous.job, next.job) ? 'none' : 'now';
    case 'cronjob.deleted':
    case 'job.deleted':
    case 'watch.passed':
    case 'request.received':
      return 'now';
  }
}

/** True when two observations of a CronJob differ in no field that a run needs. */
function isSameCronJob(a: CronJobFacts, b: CronJobFacts): boolean {
  return a.generation === b.generation && a.deleting === b.deleting && isSameJson(a.status, b.status);
}

/**
 * True when two observations of a child differ in no field that a run needs; the counters of a running Job are not
 * compared.
 */
function isSameChild(a: ChildFacts, b: ChildFacts): boolean {
  return a.finished === b.finished && a.elsewhere === b.elsewhere && a.startTime === b.startTime;
}
