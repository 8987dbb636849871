import type { CronJobEvent } from '../workflows/cron-job/events.ts';
import type { WantedJob } from '../services/read-model/queries/find-job.ts';
import { fullName } from '../services/read-model/views/full-name.ts';
import type { ConnectionOptions } from './server/connection-options.ts';
import { withRows } from './sources/with-rows.ts';

/** The stream of one CronJob. */
export interface CronJobStream {
  /** `CronJob <cluster>/<namespace>/<name>, uid <uid>`. */
  title: string;
  /** In ledger order. */
  events: CronJobEvent[];
}

/** Reads a CronJob's stream. @throws InputError for an unknown CronJob, or when the tables are behind. */
export function cronJobStream(wanted: WantedJob, options: ConnectionOptions): Promise<CronJobStream> {
  return withRows(options, async (rows) => {
    const cronJob = await rows.cronJob(wanted);
    const title = `CronJob ${fullName(cronJob)}, uid ${cronJob.uid}`;
    return { title, events: await rows.cronJobEvents(cronJob) };
  });
}
