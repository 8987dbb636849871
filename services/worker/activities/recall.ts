import type { JobRef } from '../../../workflows/activities.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { replay } from '../../../workflows/job/record/replay.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import { JobledgerError } from '../../adapters/errors.ts';
import { NewerRecordError, readEvent } from '../../adapters/event-codec.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { scan } from '../../adapters/kafka/scan.ts';

/** Reads streams from the ledger. */
export type StreamReader = (key: string) => Promise<JobEvent[]>;

/** The state of a Job from the ledger alone. */
export async function recall(streamOf: StreamReader, { cluster, uid }: JobRef): Promise<JobState> {
  return replay(await streamOf(`${cluster}/${uid}`));
}

/** The result of one pass for a Job: its events, or the record that is too new for this version. */
type Found = JobEvent[] | NewerRecordError;

interface Pass {
  streams: Map<string, Found>;
  done: Promise<void>;
}

/**
 * The ledger has no index by Job, so finding a stream means reading all of it. Requests that arrive before a pass
 * starts share it: after a loss of Temporal's database thousands of Jobs are recalled at once.
 */
export function createStreamReader(kafka: KafkaConnection): StreamReader {
  let current: Promise<unknown> = Promise.resolve();
  let next: Pass | null = null;
  return async (key) => {
    const pass = (next ??= startAfter(current));
    pass.streams.set(key, []);
    await pass.done;
    return streamIn(pass.streams.get(key) ?? [], key);
  };

  function startAfter(before: Promise<unknown>): Pass {
    const streams = new Map<string, Found>();
    const done = before
      .catch(() => undefined)
      .then(() => {
        next = null;
        return readStreams(kafka, streams);
      });
    current = done;
    return { streams, done };
  }
}

/** @throws a retryable JobledgerError when the stream contains a record that this version cannot read. */
function streamIn(found: Found, key: string): JobEvent[] {
  if (!(found instanceof NewerRecordError)) return found;
  throw new JobledgerError(
    `the Job ${key} waits for a newer worker: this one cannot recall it, for its stream holds a record of a newer version`,
    { cause: found, retryable: true },
  );
}

async function readStreams(kafka: KafkaConnection, streams: Map<string, Found>): Promise<void> {
  await scan(kafka, kafka.topics.ledger, (record) => {
    const stream = streams.get(record.key);
    if (stream === undefined || stream instanceof NewerRecordError) return;
    try {
      const event = readEvent(record);
      if (event !== null) stream.push(event);
    } catch (error) {
      if (!(error instanceof NewerRecordError)) throw error;
      streams.set(record.key, error);
    }
  });
}
