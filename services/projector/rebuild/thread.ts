import { parentPort, workerData } from 'node:worker_threads';
import { connectKafka } from '../../adapters/kafka/connection.ts';
import { silentLog } from '../../adapters/process/log.ts';
import { openSession } from '../../adapters/postgres/session.ts';
import type { ThreadTask } from './threads.ts';
import { addOffsetRange } from './offset-range.ts';

/** The entry point of a thread, which folds its partitions, posts the number of records after each batch, and exits. */
const { postgres, kafka, selection, to } = workerData as ThreadTask;
const session = await openSession(postgres, 'jobledger admin rebuild');
try {
  await addOffsetRange(
    { session, connection: connectKafka(kafka, silentLog()) },
    selection,
    { from: new Map(), to },
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- meant for windows; a thread has no origin
    (records) => parentPort?.postMessage(records),
  );
} finally {
  await session.close();
}
