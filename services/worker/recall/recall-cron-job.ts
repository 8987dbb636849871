import type { JobRef } from '../../../workflows/activities.ts';
import * as core from '../../../workflows/cron-job/core.ts';
import { foldStream } from '../../../workflows/job/record/folding.ts';
import type { CronJobState } from '../../../workflows/cron-job/state.ts';
import { isOfCronJob } from '../../../workflows/ledger-event.ts';
import type { StreamReader } from './stream-reader.ts';

/** The state of a CronJob from the ledger alone. @throws the reason of `signal` when it aborts. */
export function recallCronJob(
  streamOf: StreamReader,
  { cluster, uid }: JobRef,
  signal: AbortSignal,
): Promise<CronJobState> {
  return streamOf(`${cluster}/${uid}`, signal, (stream) => foldStream(stream.filter(isOfCronJob), core));
}
