import type { JobEvent } from '../../workflows/job/events.ts';
import { withGaps, type LifeOfJob } from '../../services/read-model/streams/stream.ts';
import type { RowKey, RowSource } from './row-source.ts';

/** All events of one Job, in ledger order. */
export function streamFrom(rows: RowSource, job: RowKey): Promise<JobEvent[]> {
  return Array.fromAsync(rows.events(job));
}

/** All events of one Job, followed by the gaps of its cluster while it existed. */
export async function historyFrom(rows: RowSource, job: RowKey & LifeOfJob): Promise<JobEvent[]> {
  return withGaps(job, await streamFrom(rows, job), await rows.gaps(job));
}
