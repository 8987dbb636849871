import type { JobRef } from '../../../workflows/activities.ts';
import type { CronJobEvent } from '../../../workflows/cron-job/events.ts';
import * as core from '../../../workflows/cron-job/core.ts';
import { foldStream } from '../../../workflows/job/record/folding.ts';
import type { CronJobState } from '../../../workflows/cron-job/state.ts';
import { isOfCronJob } from '../../../workflows/ledger-event.ts';
import { readEvent } from '../../adapters/event-codec.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { partitionerOf } from '../../adapters/kafka/partition-of.ts';
import { extentsOf, readRanges } from '../../adapters/kafka/scan.ts';
import { wholeTopic } from './reading-plan.ts';

const FETCH_BYTES = 1024 * 1024;

/** The state of a CronJob from the ledger alone: reads its partition. @throws the reason of `signal` when it aborts. */
export async function recallCronJob(
  kafka: KafkaConnection,
  { cluster, uid }: JobRef,
  signal: AbortSignal,
): Promise<CronJobState> {
  const { ledger } = kafka.topics;
  const key = `${cluster}/${uid}`;
  const partition = partitionerOf(kafka)(key);
  const extents = [...(await extentsOf(kafka, ledger))].filter(([each]) => each === partition);
  const stream: CronJobEvent[] = [];
  await readRanges(
    kafka,
    ledger,
    wholeTopic(new Map(extents)),
    async (records) => {
      for (const record of records) {
        const event = record.key === key ? readEvent(record) : null;
        if (event !== null && isOfCronJob(event)) stream.push(event);
      }
    },
    { signal, fetchBytes: FETCH_BYTES },
  );
  return foldStream(stream, core);
}
