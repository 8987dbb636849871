import type { ObjectRef } from '../../../workflows/activities.ts';
import { getKind, streamId } from '../../../workflows/kinds.ts';
import type { FoldStart } from '../../../workflows/record/recalled.ts';
import { foldStart } from '../../../workflows/record/snapshot.ts';
import type { StreamReader } from './stream-reader.ts';

/** Reads the last usable snapshot of a Job or CronJob, and the events after it. */
export type StartReader = (job: ObjectRef, signal: AbortSignal) => Promise<FoldStart>;

/** Creates the reader of the start of a recall. */
export function createStartReader(readStream: StreamReader): StartReader {
  return (job, signal) =>
    readStream(streamId(job), signal, (stream, isWhole) => foldStart(getKind(job), stream, isWhole));
}
