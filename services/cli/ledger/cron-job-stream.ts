import type { CronJobEvent } from '../../../workflows/cron-job/events.ts';
import { isOfCronJob } from '../../../workflows/ledger-event.ts';
import type { WantedJob } from '../../read-model/find-job.ts';
import type { StateDirOption } from '../options.ts';
import { kafkaOf, readLedger } from './read-ledger.ts';
import { createStreams, streamName } from './streams.ts';

/** The stream of one CronJob. */
export interface CronJobStream {
  /** `CronJob <cluster>/<namespace>/<name>, uid <uid>`. */
  title: string;
  /** In ledger order. */
  events: CronJobEvent[];
}

/** Reads a CronJob's stream from the ledger, which takes as long as the ledger is. @throws InputError for an unknown one. */
export async function cronJobStream(wanted: WantedJob, options: StateDirOption): Promise<CronJobStream> {
  const streams = createStreams([{ ...wanted, kind: 'cronjob' }], () => {
    const events: CronJobEvent[] = [];
    return { events, add: (event) => void (isOfCronJob(event) && events.push(event)) };
  });
  await readLedger(kafkaOf(options), (event) => {
    if (isOfCronJob(event)) streams.add(event);
  });
  const [found] = streams.chosen();
  if (found === undefined) return { title: '', events: [] };
  const name = streamName(found).slice('cronjob/'.length);
  return { title: `CronJob ${name}, uid ${found.uid ?? ''}`, events: found.reader.events };
}
