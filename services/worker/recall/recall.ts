import type { ObjectRef } from '../../../workflows/activities.ts';
import type { AnyState } from '../../../workflows/kind.ts';
import { getKind, streamId } from '../../../workflows/kinds.ts';
import { replayInSteps } from '../../../workflows/record/recalled.ts';
import { toUnusableError } from './unusable-stream.ts';
import { runInSlices } from './in-slices.ts';
import type { Snapshots } from './snapshots.ts';
import type { StartReader } from './start-reader.ts';

export interface RecallDependencies {
  readStart: StartReader;
  snapshots: Pick<Snapshots, 'count'>;
}

/**
 * Computes the state of a Job or CronJob from the ledger alone. @throws the reason of `signal` when it is aborted, and
 * UnusableStreamError when the core cannot fold the stream.
 */
export async function recall(
  { readStart, snapshots }: RecallDependencies,
  job: ObjectRef,
  signal: AbortSignal,
): Promise<AnyState> {
  const start = await readStart(job, signal);
  snapshots.count(job, start.rest.length);
  try {
    return await runInSlices(replayInSteps(getKind(job), start), signal);
  } catch (error) {
    throw signal.aborted ? error : toUnusableError(streamId(job), error);
  }
}
