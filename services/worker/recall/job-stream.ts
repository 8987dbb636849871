import type { FoldStart } from '../../../workflows/job/record/replay.ts';
import { foldStart } from '../../../workflows/job/record/snapshot.ts';
import type { Recalled } from '../../../workflows/job/record/recalled.ts';
import { isOfCronJob } from '../../../workflows/ledger-event.ts';
import type { Kept, StreamReader } from './stream-reader.ts';

/** Reads the last snapshot of a Job that can be used, and what came after it. */
export type JobStreamReader = (key: string, signal: AbortSignal) => Promise<FoldStart>;

export function jobStreams(streamOf: StreamReader): JobStreamReader {
  return (key, signal) =>
    streamOf(key, signal, (stream, isWhole) => foldStart(stream.filter(isOfJobStream), isWhole));
}

function isOfJobStream(event: Kept): event is Recalled {
  return !isOfCronJob(event);
}
