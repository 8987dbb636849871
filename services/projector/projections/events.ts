import type { JobEvent } from '../../../workflows/job/events.ts';
import type { EventRow } from '../tables/events.ts';
import { timestampOf, versionNumber } from './instants.ts';
import { isOfJob, jobNameOf } from './subjects.ts';

/** An event and its position. */
export interface PositionedEvent {
  partition: number;
  offset: bigint;
  event: JobEvent;
  /** Its data as JSON text from the ledger; null when the text must be generated. */
  dataText: string | null;
}

export function eventRow({ partition, offset, event, dataText }: PositionedEvent): EventRow {
  const job = isOfJob(event) ? jobNameOf(event) : { namespace: '', name: '' };
  return {
    id: event.id,
    type: event.type,
    source: event.source,
    subject: event.subject,
    cluster: event.data.cluster,
    job_uid: isOfJob(event) ? event.data.jobUid : null,
    // The last events of a vanished object may not contain its name.
    namespace: job.namespace === '' ? null : job.namespace,
    job_name: job.name === '' ? null : job.name,
    resource_version: versionOf(event),
    time: timestampOf(event.time) ?? event.time,
    kafka_partition: partition,
    kafka_offset: offset.toString(),
    digest: event.digest,
    data: dataText ?? event.data,
  };
}

function versionOf(event: JobEvent): string | null {
  switch (event.type) {
    case 'job.observed':
    case 'pod.observed':
      return versionNumber(event.data.object.metadata.resourceVersion);
    case 'job.deleted':
    case 'pod.deleted':
      return versionNumber(event.data.resourceVersion);
    case 'command.received':
    case 'cluster.connected':
    case 'cluster.gap':
    case 'job.decided':
    case 'job.folded':
    case 'job.snapshotted':
    case 'command.answered':
      return null;
  }
}
