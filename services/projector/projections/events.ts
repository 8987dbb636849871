import type { CronJobEvent } from '../../../workflows/cron-job/events.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { PlacementEvent } from '../../../workflows/placement/events.ts';
import { isOfKind, type LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { CronJobEventRow, EventRow } from '../../read-model/tables/events.ts';
import { toTimestamp, versionNumber } from './instants.ts';
import { isOfJob, parseSubject } from './subjects.ts';

/** An event and its position. */
export interface PositionedEvent {
  partition: number;
  offset: bigint;
  event: LedgerEvent;
  /** The version of the event's type in the record. */
  version: number;
  /** The recorded data of the event, as JSON text from the ledger; null when the text must be generated. */
  dataText: string | null;
}

/** The rows of the events themselves, in one table for Jobs and clusters, and in one table for CronJobs. */
export interface EventRows {
  events: EventRow[];
  cronJobEvents: CronJobEventRow[];
}

export function eventRows(positioned: readonly PositionedEvent[]): EventRows {
  const rows: EventRows = { events: [], cronJobEvents: [] };
  for (const each of positioned) {
    const { event } = each;
    if (isOfKind('CronJob', event)) rows.cronJobEvents.push(cronJobEventRow(each, event));
    else rows.events.push(eventRow(each, event));
  }
  return rows;
}

function eventRow(positioned: PositionedEvent, event: JobEvent | PlacementEvent): EventRow {
  const hasJob = isOfJob(event) || event.type === 'submission.received';
  const job = hasJob ? parseSubject(event.subject) : { namespace: '', name: '' };
  return {
    ...commonColumns(positioned, event),
    job_uid: isOfJob(event) ? event.data.jobUid : null,
    // The last events of a vanished object may not contain its name.
    namespace: job.namespace === '' ? null : job.namespace,
    job_name: job.name === '' ? null : job.name,
  };
}

function cronJobEventRow(positioned: PositionedEvent, event: CronJobEvent): CronJobEventRow {
  const { namespace, name } = parseSubject(event.subject);
  return {
    ...commonColumns(positioned, event),
    cron_job_uid: event.data.cronJobUid,
    namespace: namespace === '' ? null : namespace,
    cron_job_name: name === '' ? null : name,
  };
}

function commonColumns({ partition, offset, version, dataText }: PositionedEvent, event: LedgerEvent) {
  return {
    id: event.id,
    type: event.type,
    type_version: version,
    source: event.source,
    subject: event.subject,
    cluster: event.data.cluster,
    resource_version: observedVersion(event),
    time: toTimestamp(event.time) ?? event.time,
    kafka_partition: partition,
    kafka_offset: offset.toString(),
    digest: event.digest,
    data: dataText ?? event.recorded ?? event.data,
  };
}

function observedVersion(event: LedgerEvent): string | null {
  switch (event.type) {
    case 'job.observed':
    case 'pod.observed':
    case 'cronjob.observed':
      return versionNumber(event.data.object.metadata.resourceVersion, event.data);
    case 'job.deleted':
    case 'pod.deleted':
    case 'cronjob.deleted':
    case 'watch.passed':
      return versionNumber(event.data.resourceVersion, event.data);
    case 'awaited-job.observed':
      return versionNumber(event.data.awaited.resourceVersion, event.data);
    case 'member.observed':
    case 'member.deleted':
      return versionNumber(event.data.member.resourceVersion, event.data.member);
    case 'placement.decided':
    case 'placement.folded':
    case 'placement.snapshotted':
    case 'request.received':
    case 'submission.received':
    case 'job.submitted':
    case 'api-request.audited':
    case 'kubernetes-event.observed':
    case 'job.detached':
    case 'cluster.connected':
    case 'cluster.gap':
    case 'kubernetes-events.dropped':
    case 'cluster.restored':
    case 'cluster.detached':
    case 'prices.applied':
    case 'node.observed':
    case 'node.deleted':
    case 'job.decided':
    case 'job.folded':
    case 'job.snapshotted':
    case 'cronjob.decided':
    case 'cronjob.folded':
    case 'cronjob.snapshotted':
    case 'outcome.recorded':
      return null;
  }
}
