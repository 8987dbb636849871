import { keyOf } from '../../../services/adapters/events/event-codec.ts';
import { isOfCronJob, type LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { LedgerStream } from '../../ledger/streams.ts';
import type { PeriodFilter } from './period.ts';

/** The streams to export; each is exported in full. */
export interface ExportSelection {
  jobs: number;
  cronJobs: number;
  clusters: number;
  has(event: LedgerEvent): boolean;
}

/**
 * Selects the Jobs and CronJobs with an event in the period, and the streams of their clusters, which contain the cluster's
 * identity and gaps. Without `isOfJobs`, also selects clusters with events but no Jobs.
 */
export function select(
  streams: readonly LedgerStream<PeriodFilter>[],
  { cluster, isOfJobs }: { cluster?: string | undefined; isOfJobs: boolean },
): ExportSelection {
  const present = streams.filter(
    (stream) => stream.reader.isPresent() && (cluster ?? stream.cluster) === stream.cluster,
  );
  const keys = new Set(
    present.flatMap((stream) => (stream.uid === null ? [] : [`${stream.cluster}/${stream.uid}`])),
  );
  const cronJobs = present.filter(({ kind }) => kind === 'cronjob').length;
  const ofJobs = present.filter(({ uid }) => uid !== null || !isOfJobs);
  const clusters = new Set(ofJobs.map((stream) => stream.cluster));
  return {
    jobs: keys.size - cronJobs,
    cronJobs,
    clusters: clusters.size,
    has: (event) =>
      'jobUid' in event.data || isOfCronJob(event)
        ? keys.has(keyOf(event))
        : clusters.has(event.data.cluster),
  };
}
