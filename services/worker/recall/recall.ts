import type { JobRef } from '../../../workflows/activities.ts';
import { replaying } from '../../../workflows/job/record/replay.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import { inSlices } from './in-slices.ts';
import type { Snapshots } from './snapshots.ts';
import type { JobStreamReader } from './job-stream.ts';

export interface RecallDependencies {
  streamOf: JobStreamReader;
  snapshots: Pick<Snapshots, 'count'>;
}

/** The state of a Job from the ledger alone. @throws the reason of `signal` when it aborts. */
export async function recall(
  { streamOf, snapshots }: RecallDependencies,
  job: JobRef,
  signal: AbortSignal,
): Promise<JobState> {
  const start = await streamOf(`${job.cluster}/${job.uid}`, signal);
  snapshots.count(job, start.rest.length);
  return inSlices(replaying(start), signal);
}
