import type { CronJobDecided, CronJobEvent } from '../../cron-job/events.ts';
import type { ChildFacts, CronJobFacts } from '../../cron-job/facts.ts';
import { childFacts, cronJobFacts } from '../../cron-job/observe/compact.ts';
import { cronCommandLine, cronOutcomeText } from './cron-command-text.ts';
import { childText, cronJobText } from './cron-job-text.ts';
import { createDecisionLines, type Line } from './decision-lines.ts';
import { requestLine } from './request-line.ts';
import { createIsOlder, OLDER, deletedText } from './observations.ts';

/** Describes the events of one CronJob in ledger order, each by its changes. */
export function createCronNarrator(superseded: ReadonlySet<string>): (event: CronJobEvent) => Line[] {
  const lines = createDecisionLines<CronJobDecided>(superseded, cronCommandLine);
  const children = new Map<string, ChildFacts>();
  const isOlder = createIsOlder();
  let cronJob: CronJobFacts | null = null;
  return (event) => {
    switch (event.type) {
      case 'cronjob.observed': {
        const now = cronJobFacts(event.data.object);
        if (isOlder(event, now, cronJob)) return [{ about: 'cronjob', message: OLDER }];
        const message = cronJobText(cronJob, now);
        cronJob = now;
        return [{ about: 'cronjob', message }];
      }
      case 'cronjob.deleted':
        return [{ about: 'cronjob', message: deletedText(event.data.seen) }];
      case 'job.observed': {
        const now = childFacts(event.data.object, event.data.cronJobUid);
        const before = children.get(now.uid) ?? null;
        if (isOlder(event, now, before)) return [{ about: `job ${now.name}`, message: OLDER }];
        children.set(now.uid, now);
        return [{ about: `job ${now.name}`, message: childText(before, now) }];
      }
      case 'job.deleted':
        children.delete(event.data.childUid);
        return [{ about: `job ${event.data.childName}`, message: deletedText(event.data.seen) }];
      case 'request.received':
        return [requestLine(event.data)];
      case 'cronjob.decided':
        return [lines.decision(event)];
      case 'outcome.recorded':
        return [lines.outcome(event, cronOutcomeText(event.data.outcome))];
      case 'watch.passed':
        return [
          {
            about: 'cronjob',
            message: `the watch of ${event.data.resource} has reached ${event.data.resourceVersion}`,
          },
        ];
      case 'cronjob.folded':
      case 'cronjob.snapshotted':
        return [];
    }
  };
}
