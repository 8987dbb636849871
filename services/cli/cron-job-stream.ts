import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import { findCronJob, requireCronJobEvents } from '../read-model/cron-jobs.ts';
import { fullName, type WantedJob } from '../read-model/find-job.ts';
import { cronJobStreamOf } from '../read-model/stream.ts';
import type { StateDirOption } from './options.ts';
import { withDatabase } from './with-database.ts';

/** The stream of one CronJob. */
export interface CronJobStream {
  /** `CronJob <cluster>/<namespace>/<name>, uid <uid>`. */
  title: string;
  /** In ledger order. */
  events: CronJobEvent[];
}

/** Reads a CronJob's stream from the tables. @throws InputError for an unknown one, or when the tables are behind. */
export function cronJobStream(wanted: WantedJob, options: StateDirOption): Promise<CronJobStream> {
  return withDatabase(options, async (run) => {
    await requireCronJobEvents(run);
    const cronJob = await findCronJob(run, wanted);
    const title = `CronJob ${fullName(cronJob)}, uid ${cronJob.uid}`;
    return { title, events: await cronJobStreamOf(run, cronJob) };
  });
}
