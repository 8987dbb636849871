import type { JobRef } from '../../../workflows/activities.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { replay } from '../../../workflows/job/replay.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import { decodeEvent } from '../../adapters/event-codec.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { scan } from '../../adapters/kafka/scan.ts';

/** Reads streams from the ledger. */
export type StreamReader = (key: string) => Promise<JobEvent[]>;

/** The state of a Job from the ledger alone. */
export async function recall(streamOf: StreamReader, { cluster, uid }: JobRef): Promise<JobState> {
  return replay(await streamOf(`${cluster}/${uid}`));
}

/**
 * The ledger has no index by Job, so a stream is found by reading all of it. Whoever asks while nothing is being read
 * shares the next pass with all others who do: after a loss of Temporal's database thousands of Jobs ask at once.
 */
export function createStreamReader(kafka: KafkaConnection): StreamReader {
  let current: Promise<unknown> = Promise.resolve();
  let next: { keys: Map<string, JobEvent[]>; done: Promise<void> } | null = null;
  return async (key) => {
    const pass = (next ??= startAfter(current));
    pass.keys.set(key, []);
    await pass.done;
    return pass.keys.get(key) ?? [];
  };

  function startAfter(before: Promise<unknown>): { keys: Map<string, JobEvent[]>; done: Promise<void> } {
    const keys = new Map<string, JobEvent[]>();
    const done = before
      .catch(() => undefined)
      .then(() => {
        next = null;
        return readStreams(kafka, keys);
      });
    current = done;
    return { keys, done };
  }
}

async function readStreams(kafka: KafkaConnection, streams: Map<string, JobEvent[]>): Promise<void> {
  await scan(kafka, kafka.topics.ledger, ({ key, value }) => {
    const stream = streams.get(key);
    if (stream === undefined) return;
    const event = readable(value);
    if (event !== null) stream.push(event);
  });
}

/** What cannot be read goes to the dead letters elsewhere, and stops nothing here. */
function readable(value: Buffer | null): JobEvent | null {
  try {
    return decodeEvent(value);
  } catch {
    return null;
  }
}
