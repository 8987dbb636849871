import { setImmediate } from 'node:timers/promises';
import type { JobRef } from '../../../workflows/activities.ts';
import { replaying } from '../../../workflows/job/record/replay.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import type { StreamReader } from './stream-reader.ts';

/** For at most this long, heartbeats and other activities of the worker wait for a fold. */
const SLICE_MS = 50;

/** The state of a Job from the ledger alone. @throws the reason of `signal` when it aborts. */
export async function recall(
  streamOf: StreamReader,
  { cluster, uid }: JobRef,
  signal: AbortSignal,
): Promise<JobState> {
  const folding = replaying(await streamOf(`${cluster}/${uid}`, signal));
  let since = Date.now();
  for (let step = folding.next(); ; step = folding.next()) {
    if (step.done === true) return step.value;
    if (Date.now() - since < SLICE_MS) continue;
    await setImmediate();
    signal.throwIfAborted();
    since = Date.now();
  }
}
