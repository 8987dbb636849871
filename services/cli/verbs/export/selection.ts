import { keyOf } from '../../../adapters/event-codec.ts';
import type { JobEvent } from '../../../../workflows/job/events.ts';
import type { LedgerStream } from '../../ledger/streams.ts';
import type { PeriodFilter } from './period.ts';

/** The streams to export; each is exported in full. */
export interface ExportSelection {
  jobs: number;
  clusters: number;
  has(event: JobEvent): boolean;
}

/**
 * Selects the Jobs with an event in the period, and the streams of their clusters, which contain the cluster's identity
 * and gaps. Without `isOfJobs`, also clusters that have events but no Job.
 */
export function select(
  streams: readonly LedgerStream<PeriodFilter>[],
  { cluster, isOfJobs }: { cluster?: string | undefined; isOfJobs: boolean },
): ExportSelection {
  const present = streams.filter(
    (stream) => stream.reader.isPresent() && (cluster ?? stream.cluster) === stream.cluster,
  );
  const jobs = new Set(
    present.flatMap((stream) => (stream.uid === null ? [] : [`${stream.cluster}/${stream.uid}`])),
  );
  const ofJobs = present.filter(({ uid }) => uid !== null || !isOfJobs);
  const clusters = new Set(ofJobs.map((stream) => stream.cluster));
  return {
    jobs: jobs.size,
    clusters: clusters.size,
    has: (event) => ('jobUid' in event.data ? jobs.has(keyOf(event)) : clusters.has(event.data.cluster)),
  };
}
